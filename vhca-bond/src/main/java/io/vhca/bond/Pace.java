package io.vhca.bond;

/** When to look again at what nobody tells: at once, then after a pause that doubles with each look. One thread. */
final class Pace {
    private final long firstPauseNs;
    private final long longestPauseNs;
    /** 0: at once. */
    private long pauseNs;
    private long nextLookNs;

    Pace(final long firstPauseNs, final long longestPauseNs) {
        this.firstPauseNs = firstPauseNs;
        this.longestPauseNs = longestPauseNs;
    }

    /** The next look is due at once. */
    void restart() {
        pauseNs = 0;
    }

    boolean isDue(final long nowNs) {
        return pauseNs == 0 || nowNs - nextLookNs >= 0;
    }

    /** A look was taken. */
    void onLook(final long nowNs) {
        pauseNs = Math.clamp(2 * pauseNs, firstPauseNs, longestPauseNs);
        nextLookNs = nowNs + pauseNs;
    }

    /** When the next look is due. */
    long nextLookNs(final long nowNs) {
        return pauseNs == 0 ? nowNs : nextLookNs;
    }
}
