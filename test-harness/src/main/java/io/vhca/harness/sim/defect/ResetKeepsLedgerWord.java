package io.vhca.harness.sim.defect;

import io.vhca.api.NativeMemory;
import io.vhca.bond.verbs.BondQueuePair;
import io.vhca.bond.wire.LedgerWord;
import java.util.Objects;

/** RESET does not clear the word that the peer's marks go to. */
final class ResetKeepsLedgerWord extends ResetRemembers {
    @Override
    Runnable remembering(final BondQueuePair qp) {
        final long mark = qp.ledger().marked();
        if (mark == 0) {
            return () -> {};
        }
        final LedgerWord word = Objects.requireNonNull(qp.ledger().word());
        return () -> NativeMemory.putLong(word.address(), Long.reverseBytes(mark));
    }
}
