package io.vhca.recovery;

/** Takes the events of recovery. It does not block or throw: an event that it has no room for is counted. */
@FunctionalInterface
public interface Journal {
    /** A journal that keeps nothing. */
    Journal NONE = event -> {};

    /** Takes one event. Control path: may allocate. */
    void append(JournalEvent event);

    /**
     * Opens it anew where it cannot be written, without waiting for the time at which it would by itself.
     *
     * @return why it still cannot be written, or an empty text
     */
    default String reopen() {
        return "";
    }

    /** Whether it cannot be written now. Any thread. */
    default boolean isFailing() {
        return false;
    }
}
