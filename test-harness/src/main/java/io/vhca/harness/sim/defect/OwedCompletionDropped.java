package io.vhca.harness.sim.defect;

import io.vhca.bond.core.RewindPolicy;
import io.vhca.recovery.RewindPlan;

/** The last of the completions that negotiation found owed is not given. */
final class OwedCompletionDropped implements Defect {
    @Override
    public RewindPolicy rewind() {
        return (log, peer, writes) -> dropped(RewindPlan.of(log, peer, writes), log.consumerSeq());
    }

    private static RewindPlan dropped(final RewindPlan plan, final long consumer) {
        if (plan.error() != null || plan.completeUpTo() <= consumer) {
            return plan;
        }
        return new RewindPlan(
                null, plan.completeUpTo() - 1, plan.resumeAt(), plan.committedUpTo(), plan.doubtfulUpTo(),
                plan.negotiated(), plan.replayed());
    }
}
