package io.vhca.bond.core;

/**
 * The earliest of several points in time, each of which may be {@link Long#MAX_VALUE} for never. Points are compared by
 * subtraction, as they may lie on both sides of the clock's wrap. Not thread-safe.
 */
public final class EarliestDeadline {
    private long atNs = Long.MAX_VALUE;

    public EarliestDeadline add(final long otherNs) {
        if (otherNs != Long.MAX_VALUE && (atNs == Long.MAX_VALUE || otherNs - atNs < 0)) {
            atNs = otherNs;
        }
        return this;
    }

    /** It is not earlier than that from now on; never stays never. */
    public EarliestDeadline notBefore(final long leastNs) {
        if (atNs != Long.MAX_VALUE && atNs - leastNs < 0) {
            atNs = leastNs;
        }
        return this;
    }

    /** The earliest, or {@link Long#MAX_VALUE} where none was added. */
    public long atNs() {
        return atNs;
    }
}
