package io.vhca.bond.cm;

import io.vhca.api.ProtectionDomain;
import io.vhca.api.QpAttributes;
import io.vhca.api.QpInitAttributes;
import io.vhca.api.QpState;
import io.vhca.api.QpType;
import io.vhca.api.QueuePair;
import io.vhca.api.cm.CmEventType;
import io.vhca.api.cm.CmPortSpace;
import io.vhca.api.cm.ConnectParameters;
import io.vhca.bond.core.BondCore;
import io.vhca.bond.core.BondCounters;
import io.vhca.bond.failover.ConnectionOwner;
import io.vhca.bond.failover.QpRecovery;
import io.vhca.bond.link.PathLink;
import io.vhca.bond.link.Sessions;
import io.vhca.bond.verbs.BondProtectionDomain;
import io.vhca.bond.verbs.BondQueuePair;
import io.vhca.recovery.ConnectHeader;
import io.vhca.recovery.DecodeResult;
import io.vhca.recovery.RecordType;
import io.vhca.recovery.RejectCode;
import io.vhca.recovery.RejectRecord;
import io.vhca.recovery.ReplyRecord;
import io.vhca.recovery.SessionId;
import io.vhca.recovery.SessionRecord;
import java.net.InetAddress;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.agrona.concurrent.UnsafeBuffer;
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
public final class BondCmId extends VirtualCmId implements ConnectionOwner {
    private @Nullable BondQueuePair qp;
    private @Nullable FirstConnect connect;
    private @Nullable FirstAccept accept;
    private final BondCore core;
    private final PendingAccepts accepts;
    private final Sessions sessions;
    /** What the queue pair to come is given. */
    private final QpAttributes wishes = new QpAttributes();

    BondCmId(final BondEventChannel channel, final @Nullable Object idContext) {
        super(channel, idContext, CmPortSpace.TCP);
        core = channel.scope().core();
        accepts = channel.scope().accepts();
        sessions = channel.scope().sessions();
    }

    /** The id of a REQ that arrived at a listener. */
    public static BondCmId requested(
            final BondEventChannel channel,
            final @Nullable BondCmId listener,
            final PathLink link,
            final ConnectHeader header) {
        final BondCmId id = new BondCmId(channel, listener == null ? null : listener.idContext());
        link.speaksFrom(header.sender());
        id.requestedAt(listener, link);
        id.accept = new FirstAccept(id, link, header);
        return id;
    }

    @Nullable BondQueuePair bondQp() {
        return qp;
    }

    BondQueuePair requireQp(final String verb) {
        if (qp == null) {
            throw wrong(verb, "it has no queue pair; call createQp first");
        }
        return qp;
    }

    // ---- what becomes of the connection, told by the control thread -------------------------------------------------

    void established(final byte[] applicationData, final ConnectParameters parameters) {
        assert core.holdsLock();
        state(State.CONNECTED);
        events().offer(BondCmEvent.of(CmEventType.ESTABLISHED, this, applicationData, parameters));
    }

    void failed(final CmEventType type, final int status) {
        assert core.holdsLock();
        state(State.ROUTED);
        events().offer(BondCmEvent.of(type, this, status));
    }

    void rejected(final int status, final byte[] applicationData) {
        assert core.holdsLock();
        state(State.ROUTED);
        events().offer(new BondCmEvent(
                CmEventType.REJECTED, this, null, status, applicationData, ConnectParameters.of(new byte[0])));
    }

    /** The connection ended: by either side's wish, or because the vQP failed. */
    @Override
    public void disconnected() {
        assert core.holdsLock();
        if (state() == State.CONNECTED || state() == State.ACCEPTING) {
            state(State.DISCONNECTED);
            events().offer(BondCmEvent.of(CmEventType.DISCONNECTED, this, 0));
        }
    }

    /** A REQ for this listener. */
    @Override
    public void onConnectRequest(
            final PathLink link, final byte[] data, final ConnectParameters from, final long nowNs) {
        assert core.holdsLock();
        final UnsafeBuffer buffer = new UnsafeBuffer(data);
        DecodeResult verdict = ConnectHeader.validate(buffer, 0, data.length);
        if (verdict == DecodeResult.OK && ConnectHeader.decode(buffer, 0).type() != RecordType.FIRST) {
            verdict = DecodeResult.BAD_TYPE;
        }
        if (verdict != DecodeResult.OK) {
            // A peer without the bond, or garbage: refused, because nothing could be promised to it.
            core.counters().badRequest(verdict);
            link.reject(new RejectRecord(BondCounters.rejectCode(verdict), SessionId.NONE, 0).encode());
            return;
        }
        final ConnectHeader header = ConnectHeader.decode(buffer, 0);
        final BondCmId known = accepts.find(header.session());
        if (known != null) {
            known.repeated(link, header, nowNs);
        } else if (sessions.isKnown(header.session())) {
            link.reject(new RejectRecord(RejectCode.STALE_EPOCH, header.session(), 0).encode());
        } else {
            final BondCmId child = requested(events(), this, link, header);
            final byte[] own = Arrays.copyOfRange(data, ConnectHeader.SIZE, data.length);
            events().offer(new BondCmEvent(CmEventType.CONNECT_REQUEST, child, this, 0, own, from));
        }
    }

    /** The peer recovers a session whose first connection was not confirmed here yet; false where that cannot be. */
    boolean recovered(final SessionRecord record, final PathLink link, final long nowNs) {
        assert core.holdsLock();
        final FirstAccept pending = accept;
        return pending != null && pending.recovered(record, link, nowNs);
    }

    /** The peer repeats the REQ of this passive id over another path. */
    public void repeated(final PathLink link, final ConnectHeader header, final long nowNs) {
        assert core.holdsLock();
        link.speaksFrom(header.sender());
        Objects.requireNonNull(accept).repeated(link, nowNs);
    }

    // ---- the bond's own connections ---------------------------------------------------------------------------------

    /** A QP for a control link; legal in any state before the connect. */
    public BondQueuePair createControlQp(final BondProtectionDomain pd, final QpInitAttributes attributes) {
        final BondQueuePair created = createOwnQp(pd, attributes);
        QpRecovery.of(created).hide();
        created.confirming(false); // it is what confirms the others
        return created;
    }

    private BondQueuePair createOwnQp(final ProtectionDomain pd, final QpInitAttributes attributes) {
        assert core.holdsLock();
        final BondQueuePair created = (BondQueuePair) pd.createQp(attributes);
        created.state(QpState.INIT);
        QpRecovery.of(created).belongsTo(this);
        qp = created;
        return created;
    }

    /** Connects to another bond's recovery port. */
    public void connectControl(
            final List<InetAddress> addresses, final int port, final ConnectParameters parameters) {
        assert core.holdsLock();
        state(State.CONNECTING);
        begin(RecordType.CONTROL, addresses, port, parameters);
    }

    private void begin(
            final RecordType type, final List<InetAddress> addresses, final int port, final ConnectParameters with) {
        final FirstConnect started = new FirstConnect(this, type, addresses, port, with);
        connect = started;
        core.later(started::start);
    }

    // ---- verbs ------------------------------------------------------------------------------------------------------

    @Override
    public @Nullable QueuePair qp() {
        return qp;
    }

    @Override
    public QueuePair createQp(final ProtectionDomain pd, final QpInitAttributes attributes) {
        core.lock();
        try {
            checkCreation(pd, attributes, QpType.RC);
            final BondQueuePair created = createOwnQp(pd, attributes);
            created.settings().change(wishes, null);
            return created;
        } finally {
            core.unlock();
        }
    }

    @Override
    protected void ownRnrRetry(final int count) {
        wishes.rnrRetry(count);
        if (qp != null) {
            qp.settings().change(wishes, null);
        }
    }

    @Override
    public void destroyQp() {
        core.lock();
        try {
            final BondQueuePair gone = qp;
            qp = null;
            if (gone != null) {
                gone.close();
            }
        } finally {
            core.unlock();
        }
    }

    @Override
    public void connect(final ConnectParameters parameters) {
        core.lock();
        try {
            check("connect", State.ROUTED);
            checkLength("connect", parameters.privateData(), ConnectHeader.MAX_APPLICATION_DATA);
            requireQp("connect");
            state(State.CONNECTING);
            begin(RecordType.FIRST, peerAddresses(), peerPort(), parameters);
        } finally {
            core.unlock();
        }
    }

    @Override
    public void accept(final ConnectParameters parameters) {
        core.lock();
        try {
            check("accept", State.REQUESTED);
            checkLength("accept", parameters.privateData(), ReplyRecord.MAX_APPLICATION_DATA);
            final BondQueuePair own = requireQp("accept");
            state(State.ACCEPTING);
            own.state(QpState.RTS);
            final FirstAccept request = Objects.requireNonNull(accept);
            core.later(nowNs -> request.accept(parameters, nowNs));
        } finally {
            core.unlock();
        }
    }

    @Override
    public void reject(final byte[] privateData) {
        core.lock();
        try {
            check("reject", State.REQUESTED);
            checkLength("reject", privateData, RejectRecord.MAX_APPLICATION_DATA);
            state(State.DISCONNECTED);
            Objects.requireNonNull(accept).reject(RejectCode.APPLICATION, privateData);
        } finally {
            core.unlock();
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
            final BondQueuePair own = requireQp("disconnect");
            core.later(QpRecovery.of(own)::onApplicationClose);
        } finally {
            core.unlock();
        }
    }

    @Override
    public void close() {
        core.lock();
        try {
            if (state() == State.CLOSED) {
                return;
            }
            if (connect != null) {
                connect.cancel();
            }
            if (accept != null && (state() == State.REQUESTED || state() == State.ACCEPTING)) {
                accept.reject(RejectCode.APPLICATION, new byte[0]);
            }
            state(State.CLOSED);
            closeListeners();
            destroyQp();
            events().remove(this);
        } finally {
            core.unlock();
        }
    }
}
