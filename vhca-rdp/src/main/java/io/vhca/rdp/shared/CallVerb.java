package io.vhca.rdp.shared;

import java.util.Locale;

/** What a client can call for; the order is part of the protocol. */
enum CallVerb {
    /** Argument: the port, 0 picks one. Result: the socket's number and its port. */
    BIND,
    CLOSE,
    /** To port and address. Result: the ordinal of a send's. */
    SEND,
    /**
     * Argument: how many bytes there is room for. Result: the length of the datagram, -1 for none, -2 where one is left
     * in the socket's slot, which comes first.
     */
    RECEIVE,
    PENDING,
    /** Of port and address. */
    IS_OPENING,
    /** Of port and address. The answer has those that the node calls its own. */
    NAME_OF,
    SEND_BUFFER,
    RECEIVE_BUFFER,
    SET_SEND_BUFFER,
    SET_RECEIVE_BUFFER,
    LONGEST_DATAGRAM,
    /** The client ends in order. */
    DETACH;

    private static final CallVerb[] ALL = values();

    private final String label = name().toLowerCase(Locale.ROOT);

    /** As programs call it. */
    String label() {
        return label;
    }

    /**
     * @throws CorruptRingException where there is none
     */
    static CallVerb of(final int code) {
        if (code < 0 || code >= ALL.length) {
            throw new CorruptRingException("it calls for verb " + code + ", which there is not");
        }
        return ALL[code];
    }
}
