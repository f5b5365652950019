package io.vhca.rdp.common;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.ResourceBundle;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What threads that go on whatever fails say of it. */
class FailedTurnsTest {
    private final FullLog log = new FullLog();
    private final FailedTurns failures = new FailedTurns(log, "the driver of soft0");

    @Test
    void theSameIsSaidOnce() {
        log.isFull = false;
        failures.warn(new IllegalStateException("planted"));
        failures.warn(new IllegalStateException("planted"));
        failures.warn(new IllegalStateException("another"));
        assertThat(log.lines).hasSize(2).first().asString().contains("the driver of soft0", "planted");
    }

    /** Who calls it goes on; what could not be said is said when there is room. */
    @Test
    void aLogWithoutRoomForALineEndsNobody() {
        failures.warn(new OutOfMemoryError("planted"));
        assertThat(log.lines).isEmpty();
        log.isFull = false;
        failures.warn(new OutOfMemoryError("planted"));
        failures.warn(new OutOfMemoryError("planted"));
        assertThat(log.lines).hasSize(1);
    }

    private static final class FullLog implements System.Logger {
        private final List<String> lines = new ArrayList<>();
        private boolean isFull = true;

        @Override
        public String getName() {
            return "full";
        }

        @Override
        public boolean isLoggable(final Level level) {
            return true;
        }

        @Override
        public void log(
                final Level level,
                final @Nullable ResourceBundle bundle,
                final String text,
                final @Nullable Throwable thrown) {
            if (isFull) {
                throw new InternalError("planted: no room for a line");
            }
            lines.add(text);
        }

        @Override
        public void log(
                final Level level,
                final @Nullable ResourceBundle bundle,
                final String format,
                final @Nullable Object... params) {
            log(level, bundle, format, (Throwable) null);
        }
    }
}
