package io.vhca.physical.soft.cm;

import io.vhca.api.Gid;
import io.vhca.physical.soft.cm.message.CmMessage;
import io.vhca.physical.soft.cm.message.ConnInput;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * The connections of a device, by the numbers that messages name. Guarded by the {@link CommunicationManager}'s lock.
 */
final class ConnRegistry {
    private final RandomGenerator random;
    private final Map<Integer, Connection> byLocalId = new HashMap<>();
    /** Passive connections by the peer's communication id or request id: finds the repeated request. */
    private final Map<PeerKey, Connection> byPeerId = new HashMap<>();
    /** Established connections by the peer's QP number: finds the leftover of a peer that started anew. */
    private final Map<PeerKey, Connection> byPeerQp = new HashMap<>();
    private final KnownPeers known = new KnownPeers();
    private final HalfOpen halfOpen;

    ConnRegistry(final RandomGenerator random, final CmConfig config) {
        this.random = random;
        halfOpen = new HalfOpen(known, config.limits());
    }

    /** What is not established, and its bounds. */
    HalfOpen halfOpen() {
        return halfOpen;
    }

    int sizeHalfOpen() {
        return halfOpen.size();
    }

    /** True for an address that a connection was established with, now or before. */
    boolean isKnown(final Gid peer) {
        return known.isKnown(peer);
    }

    /** True while a connection with that peer is established. Any thread. */
    boolean isConnected(final Gid peer) {
        return known.isConnected(peer);
    }

    /** A communication id that no connection has. */
    int newCommId() {
        int commId = random.nextInt();
        while (commId == 0 || byLocalId.containsKey(commId)) {
            commId = random.nextInt();
        }
        return commId;
    }

    void add(final Connection connection) {
        assert !byLocalId.containsKey(connection.localCommId) : "the communication id is taken";
        byLocalId.put(connection.localCommId, connection);
        if (connection.isPassive) {
            byPeerId.put(new PeerKey(connection.peer, connection.remoteCommId), connection);
            halfOpen.add(connection);
        }
    }

    /**
     * The connection is established, so its peer has answered.
     *
     * @return the leftover that had the peer's QP before, or null
     */
    @Nullable Connection establish(final Connection connection) {
        assert !connection.wasEstablished : "a connection is established once";
        connection.state = ConnState.ESTABLISHED;
        connection.wasEstablished = true;
        halfOpen.remove(connection);
        known.add(connection.peer);
        halfOpen.moveToReserve(connection.peer);
        return byPeerQp.put(new PeerKey(connection.peer, connection.remoteQpn), connection);
    }

    /** The connection is over, and only answers late messages, where it was established. */
    void end(final Connection connection) {
        byPeerQp.remove(new PeerKey(connection.peer, connection.remoteQpn), connection);
        if (connection.wasEstablished && !connection.isEnded) {
            connection.isEnded = true;
            known.remove(connection.peer);
        }
    }

    void remove(final Connection connection) {
        byLocalId.remove(connection.localCommId, connection);
        byPeerId.remove(new PeerKey(connection.peer, connection.remoteCommId), connection);
        halfOpen.remove(connection);
        end(connection);
    }

    /** The passive connection of a request that came before. */
    @Nullable Connection repeated(final Gid peer, final int peerId) {
        return byPeerId.get(new PeerKey(peer, peerId));
    }

    /**
     * The connection that a message is about: by our own communication id; a peer that gave up before it learned that
     * one is found by its own.
     */
    @Nullable Connection find(final Gid source, final CmMessage message) {
        final Connection found = message.remoteCommId() == 0 && message.type() == ConnInput.REJ
                ? repeated(source, message.localCommId())
                : byLocalId.get(message.remoteCommId());
        return found != null && found.peer.equals(source) && isOwnPair(found, message) ? found : null;
    }

    /**
     * The peer's id must be the one it gave before; before that any is right. A REJ without an id refuses a REQ of
     * which nothing was made: once the peer has given its id, such a REJ is an earlier one's that comes again.
     */
    private static boolean isOwnPair(final Connection connection, final CmMessage message) {
        return connection.remoteCommId == 0
                || message.type() == ConnInput.SIDR_REP
                || message.localCommId() == connection.remoteCommId;
    }

    /** The passive connection on that QP that waits for the RTU or for data. */
    @Nullable Connection waitingOn(final int qpNum) {
        return halfOpen.find(one -> one.localQpn == qpNum && one.state == ConnState.REP_SENT);
    }

    List<Connection> all() {
        return new ArrayList<>(byLocalId.values());
    }
}
