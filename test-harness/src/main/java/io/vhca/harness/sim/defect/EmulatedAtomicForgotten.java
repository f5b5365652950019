package io.vhca.harness.sim.defect;

import io.vhca.bond.core.RewindPolicy;
import io.vhca.recovery.RewindPlan;
import io.vhca.recovery.SendLog;
import io.vhca.recovery.WriteReplay;
import io.vhca.recovery.wire.ReceiverCounts;

/** An emulated atomic that is asked for again is executed again. */
final class EmulatedAtomicForgotten implements Defect {
    @Override
    public RewindPolicy rewind() {
        return new RewindPolicy() {
            @Override
            public RewindPlan plan(final SendLog log, final ReceiverCounts peer, final WriteReplay writes) {
                return RewindPlan.of(log, peer, writes);
            }

            @Override
            public boolean remembersAtomics() {
                return false;
            }
        };
    }
}
