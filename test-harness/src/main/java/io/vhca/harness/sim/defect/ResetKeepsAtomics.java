package io.vhca.harness.sim.defect;

import io.vhca.bond.verbs.BondQueuePair;

/** RESET keeps which emulated atomic was executed last, and its answer. */
final class ResetKeepsAtomics extends ResetRemembers {
    @Override
    Runnable remembering(final BondQueuePair qp) {
        final long executed = qp.atomics().executed();
        final int status = qp.atomics().status();
        final long result = qp.atomics().result();
        return () -> qp.atomics().remember(executed, status, result);
    }
}
