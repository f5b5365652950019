package io.vhca.bond.core;

/**
 * The time that a bond goes by: that of its turns. Of the time between two turns so much counts at most, since all that
 * happened meanwhile, the peer's answer too, is noticed only now: a process that was stopped, had no processor or was
 * busy for long takes its own pause for nobody's silence. So a deadline leaves several turns, be it not one of
 * milliseconds. Control lock.
 */
public final class TurnClock {
    private final long mostNs;
    private boolean hasBegun;
    private long realNs;
    private long nowNs;

    /** @param mostNs what counts of the time between two turns */
    public TurnClock(final long mostNs) {
        assert mostNs > 0 : "no time would pass";
        this.mostNs = mostNs;
    }

    /** A turn begins; the time by this clock. A caller that read the other one before the last turn comes late. */
    public long turn(final long realNowNs) {
        if (!hasBegun) {
            hasBegun = true;
            realNs = realNowNs;
            nowNs = realNowNs;
            return nowNs;
        }
        final long passedNs = Math.max(0, realNowNs - realNs);
        realNs += passedNs;
        nowNs += Math.min(passedNs, mostNs);
        return nowNs;
    }

    /** The time of the last turn. */
    public long nowNs() {
        return nowNs;
    }

    /** How much later the other clock is than this one. */
    long lateNs() {
        return realNs - nowNs;
    }

    /** When by the other clock a turn is due for a deadline by this one; {@link Long#MAX_VALUE} for never. */
    public long realOf(final long deadlineNs) {
        if (deadlineNs == Long.MAX_VALUE) {
            return deadlineNs;
        }
        final long atNs = realNs + Math.min(deadlineNs - nowNs, mostNs);
        return atNs == Long.MAX_VALUE ? atNs - 1 : atNs;
    }
}
