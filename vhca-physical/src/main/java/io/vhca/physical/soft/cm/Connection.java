package io.vhca.physical.soft.cm;

import io.vhca.api.Gid;
import io.vhca.api.Mtu;
import org.jspecify.annotations.Nullable;

/**
 * One connection, or one service id resolution, in the CM protocol: what was agreed, and what is waited for. Guarded by
 * the lock of its {@link CommunicationManager}.
 */
final class Connection {
    final int localCommId;
    final Gid peer;
    final boolean isPassive;
    ConnState state;
    /** The id it belongs to; null once the id is closed. */
    @Nullable SoftCmId id;
    int remoteCommId;
    long transaction;
    int localQpn;
    int remoteQpn;
    /** First PSN that the peer sends with. */
    int receivePsn;
    /** First PSN that this side sends with. */
    int sendPsn;
    Mtu mtu = Mtu.MTU_1024;
    int sgidIndex;
    int peerResponderResources;
    int peerInitiatorDepth;
    int peerRetryCount;
    int peerRnrRetryCount;
    int peerAckTimeout;
    boolean wasEstablished;

    /** The message that is repeated while no answer comes, or when the peer repeats its own. */
    byte[] lastMessage = new byte[0];
    int tries;
    long deadlineNs;
    /** Place in the list of connections with a deadline, -1 when not in it. */
    int timerIndex = -1;

    Connection(
            final int localCommId,
            final Gid peer,
            final boolean isPassive,
            final ConnState state,
            final @Nullable SoftCmId id) {
        this.localCommId = localCommId;
        this.peer = peer;
        this.isPassive = isPassive;
        this.state = state;
        this.id = id;
    }

    @Override
    public String toString() {
        return "connection 0x" + Integer.toHexString(localCommId) + " to " + peer + " in " + state;
    }
}
