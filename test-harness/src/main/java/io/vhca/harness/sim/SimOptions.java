package io.vhca.harness.sim;

/**
 * What a run is asked for besides its seed.
 *
 * @param isSoftOnly a single soft RNIC a side, without the bond
 * @param faultMask  bit i: keep the i-th fault of those drawn (shrinking)
 * @param maxOps     most operations a direction that are kept of those drawn (shrinking)
 * @param maxQps     most connections that are kept of those drawn (shrinking)
 * @param mutation   how the bond is broken on purpose
 */
public record SimOptions(boolean isSoftOnly, long faultMask, int maxOps, int maxQps, Mutation mutation) {
    /** Everything, bond included. */
    public static final SimOptions FULL =
            new SimOptions(false, -1, Integer.MAX_VALUE, Integer.MAX_VALUE, Mutation.NONE);

    /** The soft RNIC alone. */
    public static final SimOptions SOFT = new SimOptions(true, -1, Integer.MAX_VALUE, Integer.MAX_VALUE, Mutation.NONE);

    public SimOptions with(final Mutation broken) {
        return new SimOptions(isSoftOnly, faultMask, maxOps, maxQps, broken);
    }

    SimOptions faults(final long mask) {
        return new SimOptions(isSoftOnly, mask, maxOps, maxQps, mutation);
    }

    SimOptions ops(final int most) {
        return new SimOptions(isSoftOnly, faultMask, most, maxQps, mutation);
    }

    SimOptions qps(final int most) {
        return new SimOptions(isSoftOnly, faultMask, maxOps, most, mutation);
    }
}
