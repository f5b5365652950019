package io.vhca.bond.failover;

import io.vhca.bond.link.Peer;
import java.net.InetAddress;
import java.util.List;

/** Opens the bond's own connection to a peer, by which both learn all paths between them. Control lock. */
@FunctionalInterface
public interface PeerContact {
    /**
     * Opens the bond's own connection to a peer, where there is none yet.
     *
     * @param addresses where the peer can be reached
     * @param port      its recovery port
     */
    void meet(Peer peer, List<InetAddress> addresses, int port);
}
