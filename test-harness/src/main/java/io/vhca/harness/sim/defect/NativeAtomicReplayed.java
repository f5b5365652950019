package io.vhca.harness.sim.defect;

import io.vhca.bond.core.RewindPolicy;
import io.vhca.recovery.BondError;
import io.vhca.recovery.RewindPlan;

/** A native atomic that may have been executed is executed again. */
final class NativeAtomicReplayed implements Defect {
    @Override
    public RewindPolicy rewind() {
        return (log, peer, writes) -> replaying(RewindPlan.of(log, peer, writes), log.postedSeq());
    }

    private static RewindPlan replaying(final RewindPlan plan, final long posted) {
        if (plan.error() != BondError.ATOMIC_IN_DOUBT && plan.error() != BondError.ATOMIC_RESULT_LOST) {
            return plan;
        }
        return new RewindPlan(
                null, plan.completeUpTo(), plan.resumeAt(), plan.committedUpTo(), plan.doubtfulUpTo(),
                plan.negotiated(), (int) (posted - plan.resumeAt()));
    }
}
