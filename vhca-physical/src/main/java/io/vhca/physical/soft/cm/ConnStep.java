package io.vhca.physical.soft.cm;

/** What is done about an input; the next state is part of the step. */
enum ConnStep {
    /** Nothing: late, repeated, or out of place. */
    IGNORE,
    /** Sends the last message again, because the peer repeated its own. */
    RESEND,
    /** Tells the peer that the owner is still thinking. */
    SEND_MRA,
    /** The peer is still thinking: wait longer. */
    EXTEND,
    /** Active: REP accepted. */
    REP_ARRIVED,
    /** Passive: the peer is ready. */
    ESTABLISH,
    /** The peer said no. */
    REJECTED,
    /** The peer gave up a connection that looked established here. */
    LOST,
    /** The peer disconnects: answered, then timewait. */
    PEER_DISCONNECTS,
    /** Answers a repeated DREQ. */
    SEND_DREP,
    /** The peer answered the DREQ, or sent its own meanwhile. */
    DISCONNECTED,
    /** Sends the last message again, or gives up after the last try. */
    RETRY,
    /** UD: the answer is here. */
    SIDR_ARRIVED,
    /** The waiting time is over. */
    EXPIRE
}
