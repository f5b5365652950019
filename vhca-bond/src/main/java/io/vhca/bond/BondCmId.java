package io.vhca.bond;

import io.vhca.api.Context;
import io.vhca.api.Errno;
import io.vhca.api.ProtectionDomain;
import io.vhca.api.QpInitAttributes;
import io.vhca.api.QpState;
import io.vhca.api.QpType;
import io.vhca.api.QueuePair;
import io.vhca.api.VerbsException;
import io.vhca.api.cm.CmEventChannel;
import io.vhca.api.cm.CmEventType;
import io.vhca.api.cm.CmId;
import io.vhca.api.cm.CmPortSpace;
import io.vhca.api.cm.ConnectParameters;
import io.vhca.recovery.ConnectHeader;
import io.vhca.recovery.DecodeResult;
import io.vhca.recovery.RecordType;
import io.vhca.recovery.RejectCode;
import io.vhca.recovery.RejectRecord;
import io.vhca.recovery.ReplyRecord;
import io.vhca.recovery.SessionId;
import io.vhca.recovery.SessionRecord;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Arrays;
import java.util.List;
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
final class BondCmId implements CmId, MemberListeners.Target {
    private final BondEventChannel channel;
    private final BondContext context;
    private final @Nullable Object idContext;
    private State state = State.IDLE;
    private @Nullable InetSocketAddress local;
    private @Nullable InetSocketAddress destination;
    private @Nullable BondQueuePair qp;
    private @Nullable FirstConnect connect;
    private @Nullable FirstAccept accept;
    private @Nullable MemberListeners listeners;

    enum State {
        IDLE,
        BOUND,
        RESOLVED,
        ROUTED,
        CONNECTING,
        REQUESTED,
        ACCEPTING,
        CONNECTED,
        DISCONNECTED,
        LISTENING,
        CLOSED
    }

    BondCmId(final BondEventChannel channel, final @Nullable Object idContext) {
        this.channel = channel;
        this.idContext = idContext;
        context = channel.bond();
    }

    /** The id of a REQ that arrived at a listener. */
    static BondCmId requested(
            final BondEventChannel channel,
            final @Nullable BondCmId listener,
            final PathLink link,
            final ConnectHeader header) {
        final BondCmId id = new BondCmId(channel, listener == null ? null : listener.idContext);
        id.state = State.REQUESTED;
        id.local = listener == null ? null : listener.local;
        link.speaksFrom(header.vQpNum());
        id.destination = new InetSocketAddress(link.remote(), 0);
        id.accept = new FirstAccept(id, link, header);
        channel.add(id);
        return id;
    }

    BondContext bond() {
        return context;
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
        state = State.CONNECTED;
        channel.offer(BondCmEvent.of(CmEventType.ESTABLISHED, this, applicationData, parameters));
    }

    void failed(final CmEventType type, final int status) {
        state = State.ROUTED;
        channel.offer(BondCmEvent.of(type, this, status));
    }

    void rejected(final int status, final byte[] applicationData) {
        state = State.ROUTED;
        channel.offer(new BondCmEvent(
                CmEventType.REJECTED, this, null, status, applicationData, ConnectParameters.of(new byte[0])));
    }

    /** The connection ended: by either side's wish, or because the vQP failed. */
    void disconnected() {
        if (state == State.CONNECTED || state == State.ACCEPTING) {
            state = State.DISCONNECTED;
            channel.offer(BondCmEvent.of(CmEventType.DISCONNECTED, this, 0));
        }
    }

    /** A REQ for this listener. */
    @Override
    public void onConnectRequest(
            final PathLink link, final byte[] data, final ConnectParameters from, final long nowNs) {
        final UnsafeBuffer buffer = new UnsafeBuffer(data);
        DecodeResult verdict = ConnectHeader.validate(buffer, 0, data.length);
        if (verdict == DecodeResult.OK && ConnectHeader.decode(buffer, 0).type() != RecordType.FIRST) {
            verdict = DecodeResult.BAD_TYPE;
        }
        if (verdict != DecodeResult.OK) {
            // A peer without the bond, or garbage: refused, because nothing could be promised to it.
            context.counters().badRequest(verdict);
            link.reject(new RejectRecord(BondCounters.rejectCode(verdict), SessionId.NONE, 0).encode());
            return;
        }
        final ConnectHeader header = ConnectHeader.decode(buffer, 0);
        final BondCmId known = context.sessions().accepting().get(header.session());
        if (known != null) {
            known.repeated(link, header, nowNs);
        } else if (context.sessions().isKnown(header.session())) {
            link.reject(new RejectRecord(RejectCode.STALE_EPOCH, header.session(), 0).encode());
        } else {
            final BondCmId child = requested(channel, this, link, header);
            final byte[] own = Arrays.copyOfRange(data, ConnectHeader.SIZE, data.length);
            channel.offer(new BondCmEvent(CmEventType.CONNECT_REQUEST, child, this, 0, own, from));
        }
    }

    /** The peer recovers a session whose first connection was not confirmed here yet; false where that cannot be. */
    boolean recovered(final SessionRecord record, final PathLink link, final long nowNs) {
        final FirstAccept pending = accept;
        return pending != null && pending.recovered(record, link, nowNs);
    }

    /** The peer repeats the REQ of this passive id over another path. */
    void repeated(final PathLink link, final ConnectHeader header, final long nowNs) {
        link.speaksFrom(header.vQpNum());
        java.util.Objects.requireNonNull(accept).repeated(link, nowNs);
    }

    // ---- the bond's own connections ---------------------------------------------------------------------------------

    /** A QP for a control link; legal in any state before the connect. */
    BondQueuePair createControlQp(final BondProtectionDomain pd, final QpInitAttributes attributes) {
        final BondQueuePair created = createOwnQp(pd, attributes);
        created.recovery().hide();
        created.confirming(false); // it is what confirms the others
        return created;
    }

    private BondQueuePair createOwnQp(final ProtectionDomain pd, final QpInitAttributes attributes) {
        final BondQueuePair created = (BondQueuePair) pd.createQp(attributes);
        created.state(QpState.INIT);
        created.recovery().belongsTo(this);
        qp = created;
        return created;
    }

    /** Connects to another bond's recovery port. */
    void connectControl(final List<InetAddress> addresses, final int port) {
        state = State.CONNECTING;
        begin(RecordType.CONTROL, addresses, port, ControlLink.PARAMETERS);
    }

    private void begin(
            final RecordType type, final List<InetAddress> addresses, final int port, final ConnectParameters with) {
        final FirstConnect started = new FirstConnect(this, type, addresses, port, with);
        connect = started;
        context.conductor().later(started::start);
    }

    // ---- verbs ------------------------------------------------------------------------------------------------------

    @Override
    public CmEventChannel channel() {
        return channel;
    }

    @Override
    public Context context() {
        return context;
    }

    @Override
    public @Nullable Object idContext() {
        return idContext;
    }

    @Override
    public CmPortSpace portSpace() {
        return CmPortSpace.TCP;
    }

    @Override
    public @Nullable QueuePair qp() {
        return qp;
    }

    @Override
    public @Nullable InetSocketAddress localAddress() {
        return local;
    }

    @Override
    public @Nullable InetSocketAddress peerAddress() {
        return destination;
    }

    private VerbsException wrong(final String verb, final String detail) {
        return new VerbsException(verb, Errno.EINVAL, toString(), detail);
    }

    private void check(final String verb, final State... allowed) {
        for (final State one : allowed) {
            if (state == one) {
                return;
            }
        }
        throw wrong(verb, "it is " + state + ", the call needs " + Arrays.toString(allowed));
    }

    @Override
    public void bindAddr(final InetSocketAddress address) {
        context.lock();
        try {
            check("bindAddr", State.IDLE);
            if (!address.getAddress().isAnyLocalAddress() && !context.isOwnAddress(address.getAddress())) {
                throw new VerbsException(
                        "bindAddr",
                        Errno.EADDRNOTAVAIL,
                        toString(),
                        address.getAddress().getHostAddress() + " is neither the bond's alias nor a member's address");
            }
            listeners = MemberListeners.bind(context, this, CmPortSpace.TCP, address.getPort());
            local = new InetSocketAddress(address.getAddress(), listeners.port());
            state = State.BOUND;
        } finally {
            context.unlock();
        }
    }

    @Override
    public void listen(final int backlog) {
        context.lock();
        try {
            check("listen", State.BOUND);
            java.util.Objects.requireNonNull(listeners).listen(backlog);
            state = State.LISTENING;
        } finally {
            context.unlock();
        }
    }

    @Override
    public void resolveAddr(
            final @Nullable InetSocketAddress source, final InetSocketAddress to, final int timeoutMs) {
        context.lock();
        try {
            check("resolveAddr", State.IDLE, State.BOUND);
            if (to.isUnresolved()) {
                throw wrong("resolveAddr", "the host name " + to.getHostString() + " could not be resolved");
            }
            destination = to;
            state = State.RESOLVED;
            channel.offer(BondCmEvent.of(CmEventType.ADDR_RESOLVED, this, 0));
        } finally {
            context.unlock();
        }
    }

    @Override
    public void resolveRoute(final int timeoutMs) {
        context.lock();
        try {
            check("resolveRoute", State.RESOLVED);
            state = State.ROUTED;
            channel.offer(BondCmEvent.of(CmEventType.ROUTE_RESOLVED, this, 0));
        } finally {
            context.unlock();
        }
    }

    @Override
    public QueuePair createQp(final ProtectionDomain pd, final QpInitAttributes attributes) {
        context.lock();
        try {
            check("createQp", State.RESOLVED, State.ROUTED, State.REQUESTED);
            if (qp != null) {
                throw wrong("createQp", "it has a queue pair already");
            }
            if (pd.context() != context) {
                throw wrong("createQp", "the protection domain belongs to another context");
            }
            if (attributes.qpType() != QpType.RC) {
                throw wrong("createQp", "an id of RDMA_PS_TCP takes a QP of type RC");
            }
            return createOwnQp(pd, attributes);
        } finally {
            context.unlock();
        }
    }

    @Override
    public void destroyQp() {
        context.lock();
        try {
            final BondQueuePair gone = qp;
            qp = null;
            if (gone != null) {
                gone.close();
            }
        } finally {
            context.unlock();
        }
    }

    @Override
    public void ackTimeout(final int timeout) {
        if (timeout < 0 || timeout > 31) {
            throw wrong("ackTimeout", "timeout is " + timeout + ", allowed is 0 to 31");
        }
        // The bond's own ack_timeout decides how soon a dead path is noticed.
    }

    @Override
    public void connect(final ConnectParameters parameters) {
        context.lock();
        try {
            check("connect", State.ROUTED);
            checkLength("connect", parameters.privateData(), ConnectHeader.MAX_APPLICATION_DATA);
            requireQp("connect");
            state = State.CONNECTING;
            final InetSocketAddress to = java.util.Objects.requireNonNull(destination);
            begin(
                    RecordType.FIRST,
                    context.config()
                            .peers()
                            .getOrDefault(
                                    to.getAddress(), context.peers().addressesOf(to.getAddress())),
                    to.getPort(),
                    parameters);
        } finally {
            context.unlock();
        }
    }

    private void checkLength(final String verb, final byte[] data, final int most) {
        if (data.length > most) {
            throw wrong(
                    verb,
                    "private data is " + data.length + " bytes long, beside the bond's own record " + most + " fit");
        }
    }

    @Override
    public void accept(final ConnectParameters parameters) {
        context.lock();
        try {
            check("accept", State.REQUESTED);
            checkLength("accept", parameters.privateData(), ReplyRecord.MAX_APPLICATION_DATA);
            final BondQueuePair own = requireQp("accept");
            state = State.ACCEPTING;
            own.state(QpState.RTS);
            final FirstAccept request = java.util.Objects.requireNonNull(accept);
            context.conductor().later(nowNs -> request.accept(parameters, nowNs));
        } finally {
            context.unlock();
        }
    }

    @Override
    public void reject(final byte[] privateData) {
        context.lock();
        try {
            check("reject", State.REQUESTED);
            checkLength("reject", privateData, RejectRecord.MAX_APPLICATION_DATA);
            state = State.DISCONNECTED;
            java.util.Objects.requireNonNull(accept).reject(RejectCode.APPLICATION, privateData);
        } finally {
            context.unlock();
        }
    }

    @Override
    public void disconnect() {
        context.lock();
        try {
            if (state == State.DISCONNECTED) {
                return;
            }
            check("disconnect", State.CONNECTED, State.ACCEPTING);
            final BondQueuePair own = requireQp("disconnect");
            context.conductor().later(own.recovery()::onApplicationClose);
        } finally {
            context.unlock();
        }
    }

    @Override
    public void close() {
        context.lock();
        try {
            if (state == State.CLOSED) {
                return;
            }
            if (connect != null) {
                connect.cancel();
            }
            if (accept != null && (state == State.REQUESTED || state == State.ACCEPTING)) {
                accept.reject(RejectCode.APPLICATION, new byte[0]);
            }
            state = State.CLOSED;
            if (listeners != null) {
                listeners.close();
            }
            destroyQp();
            channel.remove(this);
        } finally {
            context.unlock();
        }
    }

    @Override
    public String toString() {
        return context.name() + " cm id" + (local == null ? "" : " " + local)
                + (destination == null ? "" : " to " + destination);
    }
}
