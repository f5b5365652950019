package io.vhca.harness.sim;

import io.vhca.bond.core.RewindPolicy;
import io.vhca.recovery.BondError;
import io.vhca.recovery.ReceiverCounts;
import io.vhca.recovery.RewindPlan;
import io.vhca.recovery.SendLog;
import io.vhca.recovery.WriteReplay;

/** Rewind policies that are wrong on purpose. */
final class BrokenRewind {
    private BrokenRewind() {}

    static RewindPolicy of(final Mutation mutation) {
        return switch (mutation) {
            case REPLAY_ONE_TOO_LATE -> (log, peer, writes) ->
                    tooLate(RewindPlan.of(log, peer, writes), log.postedSeq());
            case OWED_COMPLETION_DROPPED -> (log, peer, writes) ->
                    dropped(RewindPlan.of(log, peer, writes), log.consumerSeq());
            case LEDGER_FORGOTTEN -> (log, peer, writes) ->
                    RewindPlan.of(log, new ReceiverCounts(peer.received(), 0), writes);
            case WRITE_IN_DOUBT_REPLAYED -> (log, peer, writes) -> RewindPlan.of(log, peer, WriteReplay.REPLAY);
            case NATIVE_ATOMIC_REPLAYED -> (log, peer, writes) ->
                    insisting(RewindPlan.of(log, peer, writes), log.postedSeq());
            case EMULATED_ATOMIC_FORGOTTEN -> new Forgetful();
            default -> RewindPlan::of;
        };
    }

    /** Remembers no atomic. */
    private static final class Forgetful implements RewindPolicy {
        @Override
        public RewindPlan plan(final SendLog log, final ReceiverCounts peer, final WriteReplay writes) {
            return RewindPlan.of(log, peer, writes);
        }

        @Override
        public boolean remembersAtomics() {
            return false;
        }
    }

    /** What may have been executed is no reason to fail. */
    private static RewindPlan insisting(final RewindPlan plan, final long posted) {
        if (plan.error() != BondError.ATOMIC_IN_DOUBT && plan.error() != BondError.ATOMIC_RESULT_LOST) {
            return plan;
        }
        return new RewindPlan(
                null, plan.completeUpTo(), plan.resumeAt(), plan.committedUpTo(), plan.doubtfulUpTo(),
                plan.negotiated(), (int) (posted - plan.resumeAt()));
    }

    /** The first request that has to be posted again is left out. */
    private static RewindPlan tooLate(final RewindPlan plan, final long posted) {
        if (plan.error() != null || plan.resumeAt() >= posted) {
            return plan;
        }
        final long resumeAt = plan.resumeAt() + 1;
        return new RewindPlan(
                null, resumeAt, resumeAt, Math.max(plan.committedUpTo(), resumeAt),
                Math.max(plan.doubtfulUpTo(), resumeAt), plan.negotiated(), plan.replayed());
    }

    /** The last request that is known done is not completed. */
    private static RewindPlan dropped(final RewindPlan plan, final long consumer) {
        if (plan.error() != null || plan.completeUpTo() <= consumer) {
            return plan;
        }
        return new RewindPlan(
                null, plan.completeUpTo() - 1, plan.resumeAt(), plan.committedUpTo(), plan.doubtfulUpTo(),
                plan.negotiated(), plan.replayed());
    }
}
