package io.vhca.bond.failover;

import io.vhca.bond.verbs.BondQueuePair;

/** Opens the bond's own connection to a peer, by which both learn all paths between them. Control lock. */
@FunctionalInterface
public interface PeerContact {
    /**
     * Opens the bond's own connection to a vQP's peer, where there is none yet, and shows the vQP's session over it:
     * that proves to the peer whose session it is.
     */
    void meet(BondQueuePair qp);
}
