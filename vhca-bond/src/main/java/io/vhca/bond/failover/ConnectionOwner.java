package io.vhca.bond.failover;

/** The virtual CM id of a vQP. Control lock. */
public interface ConnectionOwner {
    /** The connection ended: by either side's wish, or because the vQP failed. Called once, or more than once. */
    void disconnected();

    /** The vQP was destroyed before a connection stood. */
    void queuePairGone();
}
