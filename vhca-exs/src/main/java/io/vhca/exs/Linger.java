package io.vhca.exs;

import java.util.concurrent.TimeUnit;

/**
 * How long a socket that was closed goes on sending. Pure.
 *
 * <p>Time in which nobody looked does not count: a process that had no processor has not sent meanwhile either.
 */
final class Linger {
    /** A look that comes later than this after the one before counts for no more. */
    private static final long MOST_LOOK_NS = TimeUnit.MILLISECONDS.toNanos(100);

    private final long limitNs;
    private long lookedNs;
    private long watchedNs;

    private Linger(final long limitNs, final long nowNs) {
        this.limitNs = limitNs;
        lookedNs = nowNs;
    }

    /** The socket is closed now. */
    static Linger begin(final int limitMs, final long nowNs) {
        return new Linger(TimeUnit.MILLISECONDS.toNanos(limitMs), nowNs);
    }

    /** Whether it has lingered for long enough. A look of a turn that began before the last one counts for nothing. */
    boolean isOver(final long nowNs) {
        final long sinceNs = nowNs - lookedNs;
        if (sinceNs > 0) {
            watchedNs += Math.min(sinceNs, MOST_LOOK_NS);
            lookedNs = nowNs;
        }
        return watchedNs >= limitNs;
    }
}
