package io.vhca.rdp.shared;

import io.vhca.api.WatchedTime;
import java.util.concurrent.TimeUnit;

/**
 * How long a shared driver may take to answer a call: one that is stopped or hangs counts as ended after that. A host
 * that is slow for all is late and nothing else. Pure.
 */
final class AnswerTimeout {
    /** The system property that changes it, in ms. */
    static final String PROPERTY = "vhca.rdp.answer.timeout";

    private static final String DEFAULT_MS = "30000";
    private static final long MOST_MS = TimeUnit.HOURS.toMillis(1);
    /** A look that comes later than this after the one before saw no more of the driver than that. */
    private static final long MOST_LOOK_NS = TimeUnit.MILLISECONDS.toNanos(20);

    private AnswerTimeout() {}

    /**
     * As the property says.
     *
     * @throws IllegalArgumentException where that is no time
     */
    static long ns() {
        final String text = System.getProperty(PROPERTY, DEFAULT_MS);
        try {
            final long ms = Long.parseLong(text);
            if (ms > 0 && ms <= MOST_MS) {
                return TimeUnit.MILLISECONDS.toNanos(ms);
            }
        } catch (final NumberFormatException e) {
            // Said below.
        }
        throw new IllegalArgumentException(
                "-D" + PROPERTY + "=" + text + " is no time in ms from 1 to " + MOST_MS);
    }

    /** A call begins to wait. */
    static WatchedTime begin(final long limitNs, final long nowNs) {
        return new WatchedTime(limitNs, MOST_LOOK_NS, nowNs);
    }
}
