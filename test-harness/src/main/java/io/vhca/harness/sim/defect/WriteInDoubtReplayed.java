package io.vhca.harness.sim.defect;

import io.vhca.bond.core.RewindPolicy;
import io.vhca.recovery.RewindPlan;
import io.vhca.recovery.WriteReplay;

/** A WRITE in doubt is written again though {@code write_replay = fail}. */
final class WriteInDoubtReplayed implements Defect {
    @Override
    public RewindPolicy rewind() {
        return (log, peer, writes) -> RewindPlan.of(log, peer, WriteReplay.REPLAY);
    }
}
