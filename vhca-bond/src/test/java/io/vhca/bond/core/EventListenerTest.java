package io.vhca.bond.core;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Nobody who asks to be told misses an event. */
class EventListenerTest {
    private final AtomicInteger told = new AtomicInteger();
    private final EventListener listener = new EventListener();

    @Test
    void ofWhatIsThereAlreadyItIsToldAtOnce() {
        listener.replace(told::incrementAndGet, () -> true);
        assertThat(told).hasValue(1);
    }

    @Test
    void whatComesBehindTheLookTellsTheNewListener() {
        listener.replace(told::incrementAndGet, () -> {
            listener.tell();
            return false;
        });
        assertThat(told).hasValue(1);
    }

    @Test
    void whoWasReplacedIsToldNoMore() {
        listener.replace(told::incrementAndGet, () -> false);
        listener.replace(null, () -> true);
        listener.tell();
        assertThat(told).hasValue(0);
    }

    @Test
    void whatItThrowsDoesNotReachWhoTellsIt() {
        listener.replace(
                () -> {
                    told.incrementAndGet();
                    throw new IllegalStateException("no room");
                },
                () -> true);
        listener.replace(
                () -> {
                    told.incrementAndGet();
                    throw new AssertionError("no memory");
                },
                () -> false);
        listener.tell();
        assertThat(told).hasValue(2);
    }
}
