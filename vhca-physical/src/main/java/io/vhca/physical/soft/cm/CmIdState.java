package io.vhca.physical.soft.cm;

/** State of an id as its owner sees it: which calls are legal. */
enum CmIdState {
    IDLE,
    BOUND,
    LISTENING,
    ADDR_RESOLVED,
    ROUTE_RESOLVED,
    /** Active: a request is under way, or was. */
    CONNECTING,
    /** Passive: a request came; accept or reject it. */
    REQUESTED,
    /** Passive: accepted, or connected. */
    ACCEPTED,
    /** Passive: rejected. */
    REJECTED,
    CLOSED
}
