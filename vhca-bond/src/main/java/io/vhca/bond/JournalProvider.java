package io.vhca.bond;

import io.vhca.recovery.Journal;
import java.nio.file.Path;

/** Opens the journal that a bond's option {@code journal} names. Found by {@code ServiceLoader}. */
public interface JournalProvider {
    /**
     * A journal in a directory, which the bond closes if it is closeable. Where it cannot be written, that is logged
     * and told to {@link BondContext#counters}, and tried again: a bond does not stay closed for its journal.
     */
    Journal open(BondContext bond, Path directory);
}
