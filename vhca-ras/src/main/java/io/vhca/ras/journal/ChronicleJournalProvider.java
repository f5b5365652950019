package io.vhca.ras.journal;

import io.vhca.bond.BondContext;
import io.vhca.bond.JournalProvider;
import io.vhca.bond.core.BondCounters;
import io.vhca.bond.core.BondCounters.Counter;
import io.vhca.recovery.Journal;
import java.nio.file.Path;

/** Opens a {@link ChronicleJournal}; what it cannot write is counted by the bond and stands among its errors. */
public final class ChronicleJournalProvider implements JournalProvider {
    @Override
    public Journal open(final BondContext bond, final Path directory) {
        final BondCounters counters = bond.counters();
        return ChronicleJournal.open(bond.device().name(), directory, new JournalLosses() {
            @Override
            public void onTrouble(final Throwable reason) {
                counters.happened(Counter.JOURNAL_ERRORS, reason);
            }

            @Override
            public void onLost(final long events) {
                counters.add(Counter.JOURNAL_LOST, events);
            }
        });
    }
}
