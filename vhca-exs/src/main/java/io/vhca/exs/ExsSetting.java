package io.vhca.exs;

/** What {@link ExsSocket#fcntl} reads, and changes before the socket is connected or listens. */
public enum ExsSetting {
    /** Sends outstanding, and as many receives; a power of two. */
    CALLS,
    /** Most bytes of a send that are copied and travel in a message of their own. */
    SMALL_PACKET,
    /** Sends of the peer that may wait here for a receive. */
    DATA_CREDITS,
    /** Acknowledgements and the like that may be under way. */
    CONTROL_CREDITS,
    /** How long a closed socket goes on sending, in milliseconds. */
    LINGER_MS,
    /** How long a peer may be silent before it is probed, in milliseconds; 0 without end. */
    KEEPALIVE_MS,
    /** Traffic class of the socket's packets (IP TOS), 0 to 255; -1: the device's choice, or the peer's request's. */
    TOS,
    /** Service level, the priority where links go by that, 0 to 15; -1 as with {@link #TOS}. */
    SERVICE_LEVEL,
    /** IP TTL, 1 to 255; -1: the device's choice. */
    HOP_LIMIT
}
