package io.vhca.harness.conformance;

import io.vhca.bond.config.BondConfig;
import io.vhca.bond.config.ConfirmMode;
import io.vhca.bond.config.LedgerMode;
import io.vhca.recovery.WriteReplay;

/** The options of the contract that cost something, all of them: an application sees no difference but time. */
final class StrictOptions {
    private StrictOptions() {}

    static BondConfig.Builder add(final BondConfig.Builder config) {
        return config.ledger(LedgerMode.EACH).writeReplay(WriteReplay.FAIL).confirm(ConfirmMode.PEER);
    }
}
