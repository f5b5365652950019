package io.vhca.harness.sim.defect;

import io.vhca.bond.core.RewindPolicy;
import io.vhca.recovery.RewindPlan;

/** The replay begins one operation too late: one that the peer never got is skipped. */
final class ReplayOneTooLate implements Defect {
    @Override
    public RewindPolicy rewind() {
        return (log, peer, writes) -> tooLate(RewindPlan.of(log, peer, writes), log.postedSeq());
    }

    private static RewindPlan tooLate(final RewindPlan plan, final long posted) {
        if (plan.error() != null || plan.resumeAt() >= posted) {
            return plan;
        }
        final long resumeAt = plan.resumeAt() + 1;
        return new RewindPlan(
                null, resumeAt, resumeAt, Math.max(plan.committedUpTo(), resumeAt),
                Math.max(plan.doubtfulUpTo(), resumeAt), plan.negotiated(), plan.replayed());
    }
}
