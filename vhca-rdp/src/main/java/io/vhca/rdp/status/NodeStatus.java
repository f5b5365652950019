package io.vhca.rdp.status;

import io.vhca.rdp.common.SessionEnd;
import io.vhca.rdp.engine.PeerState;
import io.vhca.rdp.engine.RdpEngine;
import java.net.InetAddress;
import java.util.List;

/**
 * Another node.
 *
 * @param isBlocked sends fail, because a datagram was lost not long ago or nobody answered
 * @param failures  how often the path there was marked failed
 * @param lastEnd   why the last session with it ended
 */
public record NodeStatus(
        InetAddress address, PeerState state, boolean isBlocked, int failures, SessionEnd lastEnd) {
    public static List<NodeStatus> all(final RdpEngine engine) {
        return engine.nodes().all().stream()
                .filter(peer -> !peer.address().equals(engine.address()) && !peer.isAlias())
                .map(peer -> new NodeStatus(
                        peer.address(), peer.state(), peer.isBlocked(), peer.failures(), peer.lastEnd()))
                .toList();
    }
}
