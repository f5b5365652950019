package io.vhca.bond.verbs;

/**
 * What one vQP remembers of emulated atomics: as requester the one that is under way, as responder the last one that
 * was executed, with its result. What follows an atomic waits for its result, so there is never more than one, and the
 * next one's arrival confirms the result of the one before. Control lock.
 */
public final class QpAtomics {
    private long asked = -1;
    private long askedNs;
    private long executed = -1;
    private int status;
    private long result;

    // ---- requester --------------------------------------------------------------------------------------------------

    /** The atomic that the peer's bond was asked for, or -1. */
    public long asked() {
        return asked;
    }

    public long askedNs() {
        return askedNs;
    }

    public void ask(final long sequence, final long nowNs) {
        asked = sequence;
        askedNs = nowNs;
    }

    public void answered() {
        asked = -1;
    }

    // ---- responder --------------------------------------------------------------------------------------------------

    /** The last one executed, or -1. */
    public long executed() {
        return executed;
    }

    public int status() {
        return status;
    }

    public long result() {
        return result;
    }

    public void remember(final long sequence, final int how, final long before) {
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
