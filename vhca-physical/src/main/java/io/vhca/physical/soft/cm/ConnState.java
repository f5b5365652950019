package io.vhca.physical.soft.cm;

/** State of a connection in the CM protocol (vol. 1, section 12.9.7, without the alternate path). */
enum ConnState {
    /** Active: REQ sent, repeated until an answer comes. */
    REQ_SENT,
    /** Active: REP here; the id's owner has not taken it yet, or is about to answer for a QP that is not the id's. */
    REP_RCVD,
    /** Passive: REQ here, its owner is about to answer. */
    REQ_RCVD,
    /** Passive: REP sent, repeated until the RTU or data come. */
    REP_SENT,
    ESTABLISHED,
    /** DREQ sent, repeated until the DREP comes. */
    DREQ_SENT,
    /** Passive: REJ sent; a repeated REQ gets it again, until the waiting time is over. */
    REJ_SENT,
    /** Over; late messages are answered until the waiting time is over. */
    TIMEWAIT,
    /** UD, active: SIDR_REQ sent, repeated until an answer comes. */
    SIDR_REQ_SENT,
    /** UD, passive: SIDR_REQ here, its owner is about to answer. */
    SIDR_REQ_RCVD,
    /** UD, passive: SIDR_REP sent; a repeated request gets it again, until the waiting time is over. */
    SIDR_REP_SENT,
    /** Gone; nothing refers to it any more. */
    CLOSED
}
