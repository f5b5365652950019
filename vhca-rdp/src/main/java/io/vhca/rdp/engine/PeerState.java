package io.vhca.rdp.engine;

/** State of the connections to a node. */
public enum PeerState {
    /** None: a send opens them. */
    IDLE,
    /** Being opened, by this end or the other. */
    CONNECTING,
    /** All of them stand. */
    UP
}
