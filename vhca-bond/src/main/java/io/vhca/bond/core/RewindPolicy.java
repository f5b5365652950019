package io.vhca.bond.core;

import io.vhca.recovery.RewindPlan;
import io.vhca.recovery.SendLog;
import io.vhca.recovery.WriteReplay;
import io.vhca.recovery.wire.ReceiverCounts;

/**
 * Chooses where a vQP resumes, and what is executed again. {@link RewindPlan#of} is the only one a product uses; the
 * simulator breaks it on purpose.
 */
@FunctionalInterface
public interface RewindPolicy {
    /**
     * The plan for a frozen log and the peer's frozen counts.
     *
     * @param writes what the configuration says of WRITEs in doubt
     */
    RewindPlan plan(SendLog log, ReceiverCounts peer, WriteReplay writes);

    /** Whether an emulated atomic that is asked for again gets the answer that it got before. */
    default boolean remembersAtomics() {
        return true;
    }
}
