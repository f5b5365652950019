package io.vhca.harness.rdp;

/** What is planted into a run, for the checkers to find. */
public enum RdpMutation {
    NONE,
    /** The receiver takes messages in the order they arrive in, whatever their size class. */
    ORDER_FORGOTTEN,
    /** A stall is not heard. */
    STALL_IGNORED,
    /** The release from a stall gets lost. */
    UNSTALL_LOST,
    /** A path that was lost is used again at once. */
    REOPENED_EARLY,
    /** What was sent last is sent again over a new connection. */
    DUPLICATE_AFTER_RECONNECT,
    /** The memory of a send in place is said to be free when it was posted. */
    COMPLETED_EARLY,
    /** What became of a send in place is not said. */
    COMPLETION_LOST,
    /** That memory is there to be written to is not heard. */
    OFFER_LOST,
    /** Memory that was asked back is used before the other end has said that it writes there no more. */
    TAKEN_BACK_EARLY,
    /** One of equal senders is served less often than the others. Of {@link RdpFairness}. */
    SERVED_LESS
}
