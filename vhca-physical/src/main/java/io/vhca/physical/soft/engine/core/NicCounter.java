package io.vhca.physical.soft.engine.core;

/** What a soft device counts. */
public enum NicCounter {
    /** Packets handed to the carrier. */
    TX_PACKETS,
    /** Bytes handed to the carrier, BTH to ICRC. */
    TX_BYTES,
    /** Packets taken from the carrier while the port was up. */
    RX_PACKETS,
    /** Bytes of those. */
    RX_BYTES,
    /** Packets whose ICRC is right with an IP identification that is not 0 and was found from the ICRC. */
    RX_IDENTIFIED,
    /** Times that the link's other end paused the port: packets waited, and none was lost. */
    RX_PRIO_PAUSE,
    /** Packets of connections that were accepted and had been marked on their way: they went through congestion. */
    NP_ECN_MARKED_ROCE_PACKETS,
    /** Congestion notifications sent for those. */
    NP_CNP_SENT,
    /** Congestion notifications received: this device sends too much for a queue on the way. */
    RP_CNP_HANDLED,
    /** Packets sent again. */
    RETRANSMITS,
    /** Local ack timeouts. */
    TIMEOUTS,
    /** NAKs for a sequence error or a refused request, sent. */
    NAKS_SENT,
    /** The same, received. */
    NAKS_RECEIVED,
    /** RNR NAKs sent. */
    RNR_NAKS_SENT,
    /** RNR NAKs received. */
    RNR_NAKS_RECEIVED,
    /** Requests that had been executed before. */
    DUPLICATES,
    /** Requests ahead of the one expected. */
    OUT_OF_ORDER,
    /** Responses to what was acknowledged before. */
    STALE_RESPONSES,
    /** Packets the carrier did not take. */
    DROP_CARRIER,
    /** Packets not sent or not taken because the port was down or the device dead. */
    DROP_PORT_DOWN,
    /** Packets not sent because the GID that they go from has moved in its table, or the MTU is smaller now. */
    DROP_PORT_CHANGED,
    /** Management datagrams not sent because all routes are in use, or none leads there. */
    DROP_NO_ROUTE,
    /** Received packets too short, with an unknown opcode, version or partition. */
    DROP_MALFORMED,
    /** Received packets with a wrong ICRC. */
    DROP_ICRC,
    /** Received packets whose ICRC is right only with an IP identification that their sender would not use now. */
    DROP_IDENTIFICATION,
    /** Received packets for a QP that does not exist, is of another type or is in no state to take them. */
    DROP_NO_QP,
    /** Received packets whose sender is not the QP's peer. */
    DROP_WRONG_SOURCE,
    /** Received datagrams with a wrong Q_Key. */
    DROP_QKEY,
    /** Received datagrams with no receive posted, or one that is too small. */
    DROP_NO_RECEIVE,
    /** Received requests that the responder had no room to answer; they come again. */
    DROP_RESPONDER_FULL,
    /** Messages acknowledged and then lost by the option that acknowledges before placing. */
    LOST_AFTER_ACK,
    /** Completions that did not fit their CQ. */
    CQ_OVERRUNS,
    /** Received packets dropped because the engine failed at them: a defect of its own. */
    PACKET_FAULTS,
    /** Queue pairs that the engine failed at, in a turn or a timer: a defect of its own. */
    QP_FAULTS
}
