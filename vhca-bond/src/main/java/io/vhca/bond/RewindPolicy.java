package io.vhca.bond;

import io.vhca.recovery.RewindPlan;
import io.vhca.recovery.SendLog;

/**
 * Chooses where a vQP resumes. {@link RewindPlan#of} is the only one a product uses; the simulator breaks it on
 * purpose.
 */
@FunctionalInterface
public interface RewindPolicy {
    /** The plan for a frozen log and the peer's frozen count. */
    RewindPlan plan(SendLog log, long received);
}
