package io.vhca.physical.events;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.Test;

class EventQueueTest {
    private static final long LONG_NS = Long.MAX_VALUE;

    private final EventQueue<String> queue = new EventQueue<>();

    /** Of two who wait, one gets the event and the other the word, whoever is first. */
    @Test
    void aWordThatComesWithAnEventIsTheNextOnes() {
        queue.put("event");
        queue.wakeUp();
        assertThat(queue.take(LONG_NS)).isEqualTo("event");
        assertThat(queue.isWoken()).isTrue();
        assertThat(queue.take(LONG_NS)).isNull();
        assertThat(queue.isWoken()).isFalse();
    }

    @Test
    void whoDoesNotWaitTakesNoWord() {
        queue.wakeUp();
        assertThat(queue.take(0)).isNull();
        assertThat(queue.isWoken()).isTrue();
    }

    /** Who puts is a device, which would be lost by it. */
    @Test
    void aListenerThatFailsIsNobodyElsesLoss() {
        final Logger logger = Logger.getLogger(Listeners.class.getName());
        final LogRecord[] logged = new LogRecord[1];
        final Handler handler = new Handler() {
            @Override
            public void publish(final LogRecord line) {
                logged[0] = line;
            }

            @Override
            public void flush() {
                // Nothing is kept back.
            }

            @Override
            public void close() {
                // Nothing is open.
            }
        };
        logger.addHandler(handler);
        logger.setUseParentHandlers(false);
        try {
            queue.onPut(() -> {
                throw new IllegalStateException("planted");
            });
            assertThatCode(() -> queue.put("event")).doesNotThrowAnyException();
            assertThat(logged[0].getThrown()).hasMessage("planted");
            assertThat(queue.take(0)).isEqualTo("event");
        } finally {
            logger.removeHandler(handler);
            logger.setUseParentHandlers(true);
        }
    }
}
