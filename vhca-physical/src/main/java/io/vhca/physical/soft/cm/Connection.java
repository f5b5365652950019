package io.vhca.physical.soft.cm;

import io.vhca.api.Gid;
import io.vhca.api.Mtu;
import io.vhca.api.ServiceClass;
import io.vhca.api.cm.ConnectParameters;
import io.vhca.physical.soft.cm.message.CmMessage;
import io.vhca.physical.soft.cm.message.CmMessages;
import io.vhca.physical.soft.cm.message.CmRoute;
import io.vhca.physical.soft.cm.message.CommIds;
import io.vhca.physical.soft.cm.message.QpEnd;
import io.vhca.physical.soft.timer.TimerHeap;
import org.jspecify.annotations.Nullable;

/**
 * One connection, or one service id resolution, in the CM protocol: what was agreed, and what is waited for. Guarded by
 * the lock of its {@link CommunicationManager}.
 */
final class Connection extends TimerHeap.Timed {
    /** The most that a peer's word that it is slow is worth: to a passive end in all, to an active end each time. */
    private static final long MOST_PATIENCE_NS = 64_000_000_000L;
    private static final byte[] NOTHING = new byte[0];

    final int localCommId;
    final Gid peer;
    final boolean isPassive;
    ConnState state;
    /** The id it belongs to; null once the id is closed. */
    @Nullable SoftCmId id;
    int remoteCommId;
    /** UD, passive: the service id that was asked for. */
    long serviceId;
    long transaction;
    int localQpn;
    int remoteQpn;
    /** First PSN that the peer sends with. */
    int receivePsn;
    /** First PSN that this side sends with. */
    int sendPsn;
    Mtu mtu = Mtu.MTU_1024;
    /** Active: {@link #mtu} is the peer's proposal. */
    private boolean isMtuProposed;
    int sgidIndex;
    int peerResponderResources;
    int peerInitiatorDepth;
    int peerRetryCount;
    int peerRnrRetryCount;
    int peerAckTimeout;
    /** Passive: what the request asks for. */
    ServiceClass peerClass = ServiceClass.NONE;
    boolean wasEstablished;
    /** It was established and is over. */
    boolean isEnded;
    /** Passive: so long after its request the peer may answer, where it says that it is slower than this manager. */
    long patienceNs;
    /** When its request came. */
    long bornNs;
    /** Passive: when it was accepted. */
    long acceptedNs;
    /** Messages of the peer that were not answered yet. */
    int owedAnswers;
    /** The peer has named our communication id, which it has from an answer to it. */
    boolean hasHeard;

    /** The message that is repeated while no answer comes, or when the peer repeats its own. */
    byte[] lastMessage = new byte[0];
    int tries;

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

    /** Passive, and its last answer is out: it is kept only to answer a repeated request. */
    boolean isAnsweredForGood() {
        return state == ConnState.REJ_SENT || state == ConnState.TIMEWAIT || state == ConnState.SIDR_REP_SENT;
    }

    /** Passive, and its request is there: the peer has not withdrawn it, and nobody has answered it. */
    boolean isUndecided() {
        return state == ConnState.REQ_RCVD || state == ConnState.SIDR_REQ_RCVD;
    }

    /** What its messages name it by. */
    CommIds ids() {
        return new CommIds(localCommId, remoteCommId, transaction);
    }

    /** Active: where its request goes from and to. */
    CmRoute route(final CmHost host, final SoftCmId owner) {
        return new CmRoute(
                host.address(), host.nodeGuid(), owner.port(), peer, owner.requiredPeer().getPort());
    }

    /** This end, as messages tell it to the peer. */
    QpEnd ownEnd() {
        return new QpEnd(localQpn, receivePsn);
    }

    /** The REJ that says that no answer came in time. */
    byte[] rejTimeout(final long localGuid) {
        return CmMessages.rejTimeout(ids(), isPassive, localGuid);
    }

    /** Takes over what a REQ proposes. */
    void readRequest(final CmMessage request) {
        readEnd(request);
        peerRetryCount = request.retryCount();
        peerAckTimeout = request.ackTimeout();
        peerClass = request.serviceClass();
        mtu = request.mtu();
        patienceNs = request.responseTimeout() <= CmMessages.RESPONSE_TIMEOUT_CODE
                ? 0
                : Math.min(
                        MOST_PATIENCE_NS, CmConfig.codeToNs(request.responseTimeout()) * (1 + request.maxCmRetries()));
    }

    /**
     * How much longer an answer is waited for after an MRA. A passive end waits so long in all, however often it is
     * asked: who asks may be anybody.
     *
     * @return 0 or less where it has waited enough
     */
    long excusedNs(final long nowNs, final int code) {
        final long mostNs = isPassive ? acceptedNs + MOST_PATIENCE_NS - nowNs : MOST_PATIENCE_NS;
        return Math.min(CmConfig.codeToNs(code), mostNs);
    }

    /** Takes over the smaller path MTU that a REJ proposes. */
    void takeMtu(final Mtu proposed) {
        mtu = proposed;
        isMtuProposed = true;
    }

    /** True of a proposal that was taken, or that a smaller one has followed. */
    boolean hasTaken(final Mtu proposed) {
        return isMtuProposed && proposed.bytes() >= mtu.bytes();
    }

    /** Takes over what a REP says. */
    void readReply(final CmMessage reply) {
        remoteCommId = reply.localCommId();
        readEnd(reply);
    }

    private void readEnd(final CmMessage message) {
        remoteQpn = message.qpNum();
        sendPsn = message.psn();
        peerResponderResources = message.responderResources();
        peerInitiatorDepth = message.initiatorDepth();
        peerRnrRetryCount = message.rnrRetryCount();
    }

    /**
     * What the peer asked for, turned round as rdma_cm does: its initiator depth is what it asks of this side's
     * responder resources.
     */
    ConnectParameters peerParameters() {
        return new ConnectParameters(
                NOTHING,
                peerInitiatorDepth,
                peerResponderResources,
                peerRetryCount,
                peerRnrRetryCount,
                remoteQpn,
                0);
    }

    @Override
    public String toString() {
        return "connection 0x" + Integer.toHexString(localCommId) + " to " + peer + " in " + state;
    }
}
