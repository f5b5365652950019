package io.vhca.api;

/**
 * A limit on time in which somebody looked. While the one who waits did not run himself, as in a process that was
 * stopped or had no processor, he saw nothing of what he waits for: that does not count. Pure; one thread at a time.
 */
public final class WatchedTime {
    private final long limitNs;
    private final long mostLookNs;
    private long lookedNs;
    private long watchedNs;

    /**
     * Begins.
     *
     * @param mostLookNs what counts of the time between two looks at most
     */
    public WatchedTime(final long limitNs, final long mostLookNs, final long nowNs) {
        this.limitNs = limitNs;
        this.mostLookNs = mostLookNs;
        lookedNs = nowNs;
    }

    /** A look; whether so much was watched. One whose time is before that of the last counts for nothing. */
    public boolean isOver(final long nowNs) {
        final long sinceNs = nowNs - lookedNs;
        if (sinceNs > 0) {
            watchedNs += Math.min(sinceNs, mostLookNs);
            lookedNs = nowNs;
        }
        return watchedNs >= limitNs;
    }
}
