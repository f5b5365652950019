package io.vhca.harness.explore;

/** What an application may send. */
enum Operation {
    /** Consumes a receive: executed once, in order. */
    SEND,
    /** May be written again with the same bytes, until a later message was received. */
    WRITE,
    /** May run again at any time. */
    READ,
    /** Executed by the peer's hardware: never twice. */
    ATOMIC;

    boolean isMessage() {
        return this == SEND;
    }

    boolean needsResponse() {
        return this == READ || this == ATOMIC;
    }
}
