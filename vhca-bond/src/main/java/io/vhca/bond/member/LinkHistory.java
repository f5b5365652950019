package io.vhca.bond.member;

import java.util.concurrent.TimeUnit;

/**
 * How a member's link has behaved, and how long it must have been up before queue pairs are moved back to it.
 *
 * <p>A link that fails once is trusted again after {@code updelay}. One that fails again and again earns a penalty:
 * each failure doubles it, from {@link #LEAST_PENALTY_NS} up to {@link #MOST_PENALTY_NS}, and it halves with every
 * {@link #HALF_LIFE_NS} without a failure. An operator's wish ends it. Pure; control lock.
 */
public final class LinkHistory {
    static final long LEAST_PENALTY_NS = TimeUnit.SECONDS.toNanos(1);
    static final long MOST_PENALTY_NS = TimeUnit.SECONDS.toNanos(60);
    static final long HALF_LIFE_NS = TimeUnit.SECONDS.toNanos(30);

    private long failures;
    private boolean everDown;
    private long failedNs;
    private long upSinceNs;
    private long penaltyNs;

    /** The link went down, or the device died. */
    public void failed(final long nowNs) {
        if (failures++ > 0) {
            penaltyNs = Math.clamp(2 * penaltyNs(nowNs), LEAST_PENALTY_NS, MOST_PENALTY_NS);
        }
        failedNs = nowNs;
    }

    public void cameUp(final long nowNs) {
        everDown = true;
        upSinceNs = nowNs;
    }

    /** An operator wants it to be used: what it did before is no reason to wait. */
    public void forgive() {
        penaltyNs = 0;
    }

    /** How often it failed. */
    public long failures() {
        return failures;
    }

    /** What it has to wait besides {@code updelay}, as of now. */
    long penaltyNs(final long nowNs) {
        final long halvings = Math.min(Long.SIZE - 1, Math.max(0, nowNs - failedNs) / HALF_LIFE_NS);
        final long left = penaltyNs >> halvings;
        return left < LEAST_PENALTY_NS ? 0 : left;
    }

    /** True when it has been up for {@code updelayNs} and its penalty, or was never down. */
    boolean isSteady(final long updelayNs, final long nowNs) {
        return !everDown || nowNs - upSinceNs >= updelayNs + penaltyNs(nowNs);
    }
}
