package io.vhca.exs;

import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.api.CompletionChannel;
import io.vhca.api.CompletionQueue;
import io.vhca.api.Context;
import io.vhca.api.cm.CmEvent;
import io.vhca.api.cm.CmEventChannel;
import io.vhca.api.cm.CmId;
import io.vhca.api.cm.CmPortSpace;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What wakes a thread that sleeps on the completions, beside these. */
class SleepersTest {
    private final List<String> words = new ArrayList<>();
    private final Events events = new Events();
    private final Sleepers sleepers = new Sleepers(new Completions(), events);

    /** Notes what is asked of it. */
    private final class Completions implements CompletionChannel {
        @Override
        public Context context() {
            throw new AssertionError("nobody asks");
        }

        @Override
        public @Nullable CompletionQueue getCqEvent(final long timeoutNs) {
            words.add("sleeps " + timeoutNs);
            sleepers.wake();
            return null;
        }

        @Override
        public void wakeUp() {
            words.add("woken");
        }

        @Override
        public void close() {
            throw new AssertionError("it is the driver's");
        }
    }

    /** Keeps who listens. */
    private static final class Events implements CmEventChannel {
        private final List<Runnable> asked = new ArrayList<>();
        private boolean tells = true;

        @Override
        public CmId createId(final CmPortSpace portSpace, final @Nullable Object context) {
            throw new AssertionError("nobody asks");
        }

        @Override
        public @Nullable CmEvent getEvent(final long timeoutNs) {
            throw new AssertionError("nobody asks");
        }

        @Override
        public boolean onEvent(final @Nullable Runnable listener) {
            if (listener != null) {
                asked.add(listener);
            }
            return tells;
        }

        @Override
        public void close() {
            throw new AssertionError("it is the driver's");
        }
    }

    @Test
    void anEventOfTheConnectionManagerWakesAndIsAskedForAgain() {
        assertThat(sleepers.ask()).isTrue();
        assertThat(sleepers.ask()).isTrue();
        assertThat(events.asked).as("once, until it came").hasSize(1);
        events.asked.getFirst().run();
        assertThat(words).containsExactly("woken");
        assertThat(sleepers.ask()).isTrue();
        assertThat(events.asked).as("for the next one").hasSize(2);
    }

    @Test
    void whereNobodyTellsItIsSaidAndNotAskedAgain() {
        events.tells = false;
        assertThat(sleepers.ask()).isFalse();
        assertThat(sleepers.ask()).isFalse();
        assertThat(events.asked).hasSize(1);
    }

    @Test
    void whatOthersDoWakesWhoSleepsAndNobodyElse() {
        sleepers.wake();
        assertThat(words).as("nobody sleeps").isEmpty();
        sleepers.mayWake();
        sleepers.wake();
        assertThat(words).as("it is about to").containsExactly("woken");
        sleepers.sleep(7);
        assertThat(words).containsExactly("woken", "sleeps 7", "woken");
        sleepers.wake();
        assertThat(words).as("it rose").hasSize(3);
    }
}
