package io.vhca.harness.sim.defect;

import io.vhca.bond.verbs.BondQueuePair;

/** RESET keeps how many messages took a shared receive. */
final class ResetKeepsSharedReceives extends ResetRemembers {
    @Override
    Runnable remembering(final BondQueuePair qp) {
        final long taken = qp.bondSrq() == null ? 0 : qp.recvQueue().received();
        return () -> {
            for (long i = 0; i < taken; i++) {
                qp.recvQueue().countShared();
            }
        };
    }
}
