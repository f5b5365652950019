package io.vhca.bond.cm;

import io.vhca.api.Errno;
import io.vhca.api.ProtectionDomain;
import io.vhca.api.QpAttributes;
import io.vhca.api.QpInitAttributes;
import io.vhca.api.QpState;
import io.vhca.api.ServiceClass;
import io.vhca.api.cm.CmEventType;
import io.vhca.api.cm.CmPortSpace;
import io.vhca.api.cm.ConnectParameters;
import io.vhca.bond.core.BondCore;
import io.vhca.bond.failover.ConnectionOwner;
import io.vhca.bond.failover.QpRecovery;
import io.vhca.bond.link.PathLink;
import io.vhca.bond.verbs.BondProtectionDomain;
import io.vhca.bond.verbs.BondQueuePair;
import io.vhca.recovery.wire.ConnectHeader;
import io.vhca.recovery.wire.RecordType;
import io.vhca.recovery.wire.RejectCode;
import io.vhca.recovery.wire.RejectRecord;
import io.vhca.recovery.wire.ReplyRecord;
import io.vhca.recovery.wire.SessionRecord;
import java.net.InetAddress;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A virtual CM id: what the application sees of a connection, whichever member carries it. Control lock.
 *
 * <pre>
 *   active:   IDLE -> RESOLVED -> ROUTED -> CONNECTING -> CONNECTED -> DISCONNECTED
 *   passive:  REQUESTED -> ACCEPTING -> CONNECTED -> DISCONNECTED
 *   listener: IDLE -> BOUND -> LISTENING
 * </pre>
 */
public final class BondCmId extends VirtualCmId<BondQueuePair> implements ConnectionOwner {
    private static final PrivateDataLimits LIMITS = new PrivateDataLimits(
            ConnectHeader.MAX_APPLICATION_DATA, ReplyRecord.MAX_APPLICATION_DATA, RejectRecord.MAX_APPLICATION_DATA);

    private static final PrivateDataLimits LIMITS_WITH_KEY = new PrivateDataLimits(
            ConnectHeader.MAX_APPLICATION_DATA_WITH_PROOF, LIMITS.accept(), LIMITS.reject());

    /** How a request that came to a listener is answered, once the application has decided. */
    interface PassiveAnswer {
        /** The application has accepted. It may have destroyed the queue pair since, or the id with it. */
        void accept(ConnectParameters given, long nowNs);

        /** It has not, or the bond does in its place. */
        void reject(RejectCode code, byte[] data);
    }

    private @Nullable FirstConnect connect;
    private @Nullable PassiveAnswer accept;
    /** The application has disconnected, and hears DISCONNECTED, whatever it destroys before. */
    private boolean isDisconnecting;
    /** Of a passive id: what the request asks of the fabric. */
    private ServiceClass asked = ServiceClass.NONE;
    private final BondCore core;
    /** What the queue pair to come is given. */
    private final QpAttributes wishes = new QpAttributes();

    BondCmId(final BondEventChannel channel, final @Nullable Object idContext) {
        super(channel, idContext, CmPortSpace.TCP, channel.scope().core().hasKey() ? LIMITS_WITH_KEY : LIMITS);
        core = channel.scope().core();
    }

    /** The id of a REQ that arrived at a listener. */
    public static BondCmId requested(
            final BondEventChannel channel,
            final @Nullable BondCmId listener,
            final PathLink link,
            final ConnectHeader header,
            final ConnectParameters from) {
        final BondCmId id = new BondCmId(channel, listener == null ? null : listener.idContext());
        link.speaksFrom(header.sender());
        id.requestedAt(listener, link);
        id.asked = link.serviceClass();
        id.accept = new FirstAccept(id, link, header, from);
        return id;
    }

    /** The id of a REQ of a peer without the bond. */
    static BondCmId requested(
            final BondEventChannel channel, final BondCmId listener, final PathLink link,
            final ConnectParameters from) {
        final BondCmId id = new BondCmId(channel, listener.idContext());
        id.requestedAt(listener, link);
        id.asked = link.serviceClass();
        id.accept = new PlainAccept(id, link, from);
        return id;
    }

    /** Where its events go, and those of the ids that it makes. */
    BondEventChannel channelOf() {
        return events();
    }

    @Nullable BondQueuePair bondQp() {
        return ownQp();
    }

    BondQueuePair requireQp(final String verb) {
        final BondQueuePair own = ownQp();
        if (own == null) {
            throw wrong(verb, "it has no queue pair; call createQp first");
        }
        return own;
    }

    private BondQueuePair requireUsableQp(final String verb) {
        final BondQueuePair own = requireQp(verb);
        if (own.state() == QpState.ERR) {
            throw wrong(verb, "its queue pair is in ERR; destroy it and create another");
        }
        return own;
    }

    // ---- what becomes of the connection, told by the control thread -------------------------------------------------

    void established(final byte[] applicationData, final ConnectParameters parameters) {
        assert core.holdsLock();
        state(State.CONNECTED, BondCmEvent.of(CmEventType.ESTABLISHED, this, applicationData, parameters));
    }

    void failed(final CmEventType type, final int status) {
        assert core.holdsLock();
        state(State.ROUTED, BondCmEvent.of(type, this, status));
    }

    void rejected(final int status, final byte[] applicationData) {
        assert core.holdsLock();
        state(State.ROUTED, BondCmEvent.of(CmEventType.REJECTED, this, status, applicationData));
    }

    /** The connection ended: by either side's wish, or because the vQP failed. */
    @Override
    public void disconnected() {
        assert core.holdsLock();
        if (state() == State.ACCEPTING) {
            takeBack();
        }
        if (state() == State.CONNECTED || state() == State.ACCEPTING) {
            state(State.DISCONNECTED, BondCmEvent.of(CmEventType.DISCONNECTED, this, 0));
        }
    }

    @Override
    public void queuePairGone() {
        assert core.holdsLock();
        if (state() == State.CONNECTING && connect != null) {
            connect.cancel();
            failed(CmEventType.UNREACHABLE, -Errno.EINVAL);
        } else if (state() == State.ACCEPTING && !isDisconnecting) {
            takeBack();
            failed(CmEventType.CONNECT_ERROR, -Errno.EINVAL);
        } else {
            disconnected();
        }
    }

    /** Nothing comes of what was requested, be it accepted already. */
    private void takeBack() {
        Objects.requireNonNull(accept).reject(RejectCode.APPLICATION, new byte[0]);
    }

    /** A REQ for this listener. */
    @Override
    public void onConnectRequest(
            final PathLink link, final byte[] sent, final ConnectParameters from, final long nowNs) {
        assert core.holdsLock();
        RequestIntake.take(this, link, sent, from, nowNs);
    }

    /** The peer recovers a session whose first connection was not confirmed here yet; false where that cannot be. */
    boolean recovered(final SessionRecord record, final PathLink link, final long nowNs) {
        assert core.holdsLock();
        return accept instanceof FirstAccept pending && pending.recovered(record, link, nowNs);
    }

    /** The peer repeats the REQ of this passive id over another path. */
    public void repeated(final PathLink link, final ConnectHeader header, final long nowNs) {
        assert core.holdsLock();
        link.speaksFrom(header.sender());
        ((FirstAccept) Objects.requireNonNull(accept)).repeated(link, nowNs);
    }

    // ---- the bond's own connections ---------------------------------------------------------------------------------

    /** A QP for a control link; legal in any state before the connect. */
    public BondQueuePair createControlQp(final BondProtectionDomain pd, final QpInitAttributes attributes) {
        final BondQueuePair created = createOwnQp(pd, attributes);
        QpRecovery.of(created).hide();
        created.confirming(false); // it is what confirms the others
        return created;
    }

    @Override
    protected BondQueuePair create(final ProtectionDomain pd, final QpInitAttributes attributes) {
        assert core.holdsLock();
        final BondQueuePair created = (BondQueuePair) pd.createQp(attributes);
        created.state(QpState.INIT);
        QpRecovery.of(created).belongsTo(this);
        created.settings().change(wishes, null);
        created.settings().serviceClass(super.knownServiceClass());
        return created;
    }

    /**
     * Connects to another bond's recovery port.
     *
     * @param like a connection to the same bond, which is known to be at its ends; or null
     */
    public void connectControl(
            final List<InetAddress> addresses, final int port, final @Nullable PathLink like,
            final ConnectParameters parameters) {
        assert core.holdsLock();
        state(State.CONNECTING);
        begin(RecordType.CONTROL, addresses, port, like, parameters);
    }

    /** Another connection to the same bond stands over that path: the connect that is under way takes it. */
    public void prefer(final PathLink carrying, final long nowNs) {
        assert core.holdsLock();
        if (connect != null) {
            connect.prefer(carrying, nowNs);
        }
    }

    private void begin(
            final RecordType type, final List<InetAddress> addresses, final int port, final @Nullable PathLink like,
            final ConnectParameters with) {
        final FirstConnect started = new FirstConnect(this, type, addresses, port, like, with);
        connect = started;
        core.later(started::start);
    }

    // ---- verbs ------------------------------------------------------------------------------------------------------

    @Override
    protected void ownRnrRetry(final int count) {
        wishes.rnrRetry(count);
        final BondQueuePair own = ownQp();
        if (own != null) {
            own.settings().change(wishes, null);
        }
    }

    @Override
    protected void ownServiceClass(final ServiceClass wanted) {
        final BondQueuePair own = ownQp();
        if (own != null) {
            own.settings().serviceClass(wanted);
        }
    }

    @Override
    protected ServiceClass knownServiceClass() {
        final BondQueuePair own = ownQp();
        return (own == null ? super.knownServiceClass() : own.settings().serviceClass()).or(asked);
    }

    @Override
    protected void begin(final ConnectParameters parameters) {
        requireUsableQp("connect");
        begin(RecordType.FIRST, peerAddresses(), peerPort(), null, parameters);
    }

    @Override
    protected void answer(final ConnectParameters parameters) {
        final BondQueuePair own = requireUsableQp("accept");
        state(State.ACCEPTING);
        own.state(QpState.RTS);
        final PassiveAnswer request = Objects.requireNonNull(accept);
        core.later(nowNs -> request.accept(parameters, nowNs));
    }

    @Override
    protected void refuse(final byte[] privateData) {
        state(State.DISCONNECTED);
        Objects.requireNonNull(accept).reject(RejectCode.APPLICATION, privateData);
    }

    @Override
    public void giveWay() {
        state(State.DISCONNECTED);
        Objects.requireNonNull(accept).reject(RejectCode.NO_RESOURCES, new byte[0]);
        close();
    }

    @Override
    protected void giveUp() {
        if (connect != null) {
            connect.cancel();
        }
        if (accept != null && (state() == State.REQUESTED || state() == State.ACCEPTING)) {
            takeBack();
        }
    }

    @Override
    public void disconnect() {
        core.lock();
        try {
            if (state() == State.DISCONNECTED) {
                return;
            }
            check("disconnect", State.CONNECTED, State.ACCEPTING);
            final BondQueuePair own = bondQp();
            isDisconnecting = true;
            core.later(own == null ? nowNs -> disconnected() : QpRecovery.of(own)::onApplicationClose);
        } finally {
            core.unlock();
        }
    }
}
