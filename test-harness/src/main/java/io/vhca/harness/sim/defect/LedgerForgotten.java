package io.vhca.harness.sim.defect;

import io.vhca.bond.core.RewindPolicy;
import io.vhca.recovery.RewindPlan;
import io.vhca.recovery.wire.ReceiverCounts;

/** The ledger word that the peer read after its fence is not looked at. */
final class LedgerForgotten implements Defect {
    @Override
    public RewindPolicy rewind() {
        return (log, peer, writes) -> RewindPlan.of(log, new ReceiverCounts(peer.received(), 0), writes);
    }
}
