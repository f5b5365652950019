package io.vhca.bond.core;

/** When to look again at what nobody tells: at once, then after a pause that doubles with each look. One thread. */
public final class PauseBackoff {
    private final long firstPauseNs;
    private final long longestPauseNs;
    /** 0: at once. */
    private long pauseNs;
    private long nextLookNs;

    public PauseBackoff(final long firstPauseNs, final long longestPauseNs) {
        this.firstPauseNs = firstPauseNs;
        this.longestPauseNs = longestPauseNs;
    }

    /** The next look is due at once. */
    public void restart() {
        pauseNs = 0;
    }

    public boolean isDue(final long nowNs) {
        return pauseNs == 0 || nowNs - nextLookNs >= 0;
    }

    /** A look was taken. */
    public void onLook(final long nowNs) {
        pauseNs = Math.clamp(2 * pauseNs, firstPauseNs, longestPauseNs);
        nextLookNs = nowNs + pauseNs;
    }

    /** When the next look is due. */
    public long nextLookNs(final long nowNs) {
        return pauseNs == 0 ? nowNs : nextLookNs;
    }
}
