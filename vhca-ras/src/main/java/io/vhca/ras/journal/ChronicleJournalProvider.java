package io.vhca.ras.journal;

import io.vhca.api.Errno;
import io.vhca.api.VerbsException;
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
        return open(bond.device().name(), directory, new JournalLosses() {
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

    /**
     * Opens a journal, which only this names: nothing of Chronicle is loaded before.
     *
     * @throws VerbsException EOPNOTSUPP where Chronicle is not there
     */
    static Journal open(final String bond, final Path directory, final JournalLosses losses) {
        try {
            return ChronicleJournal.open(bond, directory, losses);
        } catch (final LinkageError e) {
            throw new VerbsException(
                    "openDevice",
                    Errno.EOPNOTSUPP,
                    bond,
                    "journal=" + directory + " needs the jar chronicle-queue (net.openhft:chronicle-queue) and those"
                            + " that it needs on the class path; add them, or take journal out of the configuration",
                    e);
        }
    }
}
