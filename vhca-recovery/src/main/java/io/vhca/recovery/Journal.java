package io.vhca.recovery;

/** Where recovery writes what happened. Never blocks, never throws for a full journal: what does not fit is counted. */
@FunctionalInterface
public interface Journal {
    /** A journal that keeps nothing. */
    Journal NONE = event -> {};

    /** Takes one event. Control path: may allocate. */
    void append(JournalEvent event);
}
