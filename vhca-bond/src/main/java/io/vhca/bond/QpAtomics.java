package io.vhca.bond;

/**
 * What one vQP remembers of emulated atomics: as requester the one that is under way, as responder the last one that
 * was executed, with its result. What follows an atomic waits for its result, so there is never more than one, and the
 * next one's arrival confirms the result of the one before. Control lock.
 */
final class QpAtomics {
    private long asked = -1;
    private long askedNs;
    private long executed = -1;
    private int status;
    private long result;

    // ---- requester --------------------------------------------------------------------------------------------------

    /** The atomic that the peer's bond was asked for, or -1. */
    long asked() {
        return asked;
    }

    long askedNs() {
        return askedNs;
    }

    void ask(final long sequence, final long nowNs) {
        asked = sequence;
        askedNs = nowNs;
    }

    void answered() {
        asked = -1;
    }

    // ---- responder --------------------------------------------------------------------------------------------------

    /** The last one executed, or -1. */
    long executed() {
        return executed;
    }

    int status() {
        return status;
    }

    long result() {
        return result;
    }

    void remember(final long sequence, final int how, final long before) {
        executed = sequence;
        status = how;
        result = before;
    }

    /** The vQP begins another life. */
    void clear() {
        asked = -1;
        executed = -1;
    }
}
