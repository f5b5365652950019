package io.vhca.recovery;

/** Takes the events of recovery. It does not block or throw: an event that it has no room for is counted. */
@FunctionalInterface
public interface Journal {
    /** A journal that keeps nothing. */
    Journal NONE = event -> {};

    /** Takes one event. Control path: may allocate. */
    void append(JournalEvent event);
}
