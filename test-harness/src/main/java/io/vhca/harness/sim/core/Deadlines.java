package io.vhca.harness.sim.core;

/** Deadlines on virtual time, which may wrap; {@link #NONE} stands for none. */
public final class Deadlines {
    public static final long NONE = Long.MAX_VALUE;

    private Deadlines() {}

    /** True once a deadline has come. */
    public static boolean isDue(final long deadlineNs, final long nowNs) {
        return deadlineNs != NONE && deadlineNs - nowNs <= 0;
    }

    /** The earlier of two deadlines. */
    public static long earlier(final long left, final long right) {
        if (left == NONE || right == NONE) {
            return Math.min(left, right);
        }
        return left - right < 0 ? left : right;
    }
}
