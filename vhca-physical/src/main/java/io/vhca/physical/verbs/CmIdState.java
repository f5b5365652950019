package io.vhca.physical.verbs;

/** Where an id of the connection manager stands; librdmacm itself does not check, and crashes on some wrong calls. */
enum CmIdState {
    /** Made, not bound. */
    IDLE,
    /** Has an own address. */
    BOUND,
    /** resolveAddr is under way. */
    RESOLVING_ADDR,
    /** The peer's address is known, and with it the device. */
    ADDR_RESOLVED,
    /** resolveRoute is under way. */
    RESOLVING_ROUTE,
    /** Ready to connect. */
    ROUTE_RESOLVED,
    /** Takes requests. */
    LISTENING,
    /** connect was called; connected once ESTABLISHED came. */
    CONNECTING,
    /** A request came, neither accepted nor rejected yet. */
    REQUESTED,
    /** accept was called. */
    ACCEPTED,
    /** Rejected, or failed: only closing is left. */
    OVER,
    /** Destroyed. */
    CLOSED
}
