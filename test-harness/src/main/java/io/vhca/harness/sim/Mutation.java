package io.vhca.harness.sim;

/** Ways in which the bond is broken on purpose, to see that the checkers catch it. */
public enum Mutation {
    /** Nothing is broken. */
    NONE,
    /** The replay begins one operation too late: one that the peer never got is skipped. */
    REPLAY_ONE_TOO_LATE,
    /** The old queue pair is neither moved to ERR nor drained before the counts are frozen. */
    FENCE_SKIPPED,
    /** One of the completions that negotiation found owed is not given. */
    OWED_COMPLETION_DROPPED,
    /** The ledger word that the peer read after its fence is not looked at. */
    LEDGER_FORGOTTEN,
    /** A WRITE in doubt is written again though write_replay = fail. */
    WRITE_IN_DOUBT_REPLAYED,
    /** Success completions do not wait for the peer's bond though confirm = peer. */
    CONFIRMATION_SKIPPED,
    /** A native atomic that may have been executed is executed again. */
    NATIVE_ATOMIC_REPLAYED,
    /** An emulated atomic that is asked for again is executed again. */
    EMULATED_ATOMIC_FORGOTTEN,
    /** One wake-up in sixteen of a member's completion channel is not passed on. */
    WAKE_UP_LOST,
    /** One shared receive in eight is given to the hardware twice. */
    SHARED_RECEIVE_TWICE,
    /** What the application deregisters stays registered with the members. */
    REGION_NOT_DEREGISTERED,
    /** What a queue pair sends in SQD goes out. */
    SQD_LETS_THROUGH,
    /** SQ_DRAINED is raised as soon as it is asked for. */
    SQ_DRAINED_TOO_EARLY,
    /** One completion of a datagram in eight comes twice. */
    DATAGRAM_COMPLETED_TWICE,
    /** The first datagram over a new member is sent twice. */
    DATAGRAM_SENT_TWICE,
    /** Datagrams go out as if the member before were still there: they arrive nowhere. */
    DATAGRAMS_NOT_MOVED,
    /** The header in front of a datagram is forgotten: the completion says that there is none. */
    DATAGRAM_HEADER_DENIED
}
