package io.vhca.harness.sim.core;

/** What a {@link History} keeps in words. */
public enum Recording {
    /** Nothing: it is hashed, and that is all. */
    NONE,
    /** All but what became of each datagram, of which there are thousands. */
    WITHOUT_DATAGRAMS,
    ALL;

    boolean keeps(final HistoryEvent event) {
        return switch (this) {
            case NONE -> false;
            case WITHOUT_DATAGRAMS -> event != HistoryEvent.DATAGRAM_SENT && event != HistoryEvent.DATAGRAM_RECEIVED;
            case ALL -> true;
        };
    }
}
