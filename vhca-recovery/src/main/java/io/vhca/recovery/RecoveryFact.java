package io.vhca.recovery;

/** The facts that a {@link RecoveryMachine} can be told; {@link ToldFact} has what each brings along. */
public enum RecoveryFact {
    /** The QP shall be connected without a first exchange of the application's. */
    START,
    /** The path in use failed, or a planned move wants another. */
    PATH_FAILURE,
    /** The old pQP is in ERR, or gone with its context. */
    FENCED,
    /** The drain ended; the counts are frozen. */
    DRAINED,
    /** A REQ for this vQP arrived. */
    REQUEST,
    /** The REP to our REQ arrived. */
    REPLY,
    /** Our REQ was rejected. */
    REJECTED,
    /** The connection attempt failed without an answer. */
    CONNECT_FAILED,
    /** The connection is established. */
    ESTABLISHED,
    /** Everything to replay has been posted. */
    REPLAYED,
    /** A member became usable. */
    PATH_UP,
    /** The application disconnects. */
    APPLICATION_CLOSE,
    /** A deadline of the state has passed. */
    TIMER,
    /**
     * The vQP went to error for a reason outside recovery: the application's own error, or one that the bond cannot
     * judge.
     */
    VQP_ERROR
}
