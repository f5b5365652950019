package io.vhca.bond;

import io.vhca.api.Context;
import io.vhca.api.Errno;
import io.vhca.api.ProtectionDomain;
import io.vhca.api.QpAttributes;
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
import io.vhca.recovery.DatagramRecord;
import io.vhca.recovery.DecodeResult;
import io.vhca.recovery.RejectCode;
import io.vhca.recovery.RejectRecord;
import io.vhca.recovery.SessionId;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Arrays;
import java.util.List;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;

/**
 * A virtual CM id of RDMA_PS_UDP: finds out which vQP a service is (SIDR), and makes no connection. Control lock.
 *
 * <pre>
 *   active:   IDLE -> RESOLVED -> ROUTED -> CONNECTING -> ROUTED, told ESTABLISHED or UNREACHABLE
 *   passive:  REQUESTED -> ANSWERED
 *   listener: IDLE -> BOUND -> LISTENING
 * </pre>
 *
 * <p>Both private datas begin with a {@link DatagramRecord}, which names the vQP: who sends none has no bond, and is
 * refused.
 */
final class BondDatagramCmId implements CmId, MemberListeners.Target {
    /** Private data that rdma_cm carries in a SIDR_REP. */
    private static final int MAX_SIDR_REP = 136;

    private static final int MAX_CONNECT_DATA = ConnectParameters.MAX_REQ_PRIVATE_DATA - DatagramRecord.SIZE;
    private static final int MAX_ACCEPT_DATA = MAX_SIDR_REP - DatagramRecord.SIZE;
    private static final int MAX_REJECT_DATA =
            MAX_SIDR_REP - new RejectRecord(RejectCode.APPLICATION, SessionId.NONE, 0).encode().length;

    private final BondEventChannel channel;
    private final BondContext context;
    private final @Nullable Object idContext;
    private State state = State.IDLE;
    private @Nullable InetSocketAddress local;
    private @Nullable InetSocketAddress peer;
    private @Nullable BondDatagramQp qp;
    private @Nullable MemberListeners listeners;
    private @Nullable ServiceResolution resolution;
    private @Nullable PathLink request;

    private enum State {
        IDLE,
        BOUND,
        RESOLVED,
        ROUTED,
        CONNECTING,
        REQUESTED,
        ANSWERED,
        LISTENING,
        CLOSED
    }

    BondDatagramCmId(final BondEventChannel channel, final @Nullable Object idContext) {
        this.channel = channel;
        this.idContext = idContext;
        context = channel.bond();
    }

    BondContext bond() {
        return context;
    }

    // ---- told by the control thread ---------------------------------------------------------------------------------

    /** A SIDR_REQ for this listener. */
    @Override
    public void onConnectRequest(
            final PathLink link, final byte[] data, final ConnectParameters from, final long nowNs) {
        final UnsafeBuffer buffer = new UnsafeBuffer(data);
        final DecodeResult verdict = DatagramRecord.validate(buffer, 0, data.length);
        if (verdict != DecodeResult.OK) {
            context.counters().badRequest(verdict);
            link.reject(new RejectRecord(BondCounters.rejectCode(verdict), SessionId.NONE, 0).encode());
            return;
        }
        final BondDatagramCmId child = new BondDatagramCmId(channel, idContext);
        child.state = State.REQUESTED;
        child.local = local;
        child.peer = new InetSocketAddress(link.remote(), 0);
        child.request = link;
        channel.add(child);
        channel.offer(new BondCmEvent(
                CmEventType.CONNECT_REQUEST, child, this, 0,
                Arrays.copyOfRange(data, DatagramRecord.SIZE, data.length), from));
    }

    void established(final byte[] data, final ConnectParameters parameters) {
        state = State.ROUTED;
        channel.offer(BondCmEvent.of(CmEventType.ESTABLISHED, this, data, parameters));
    }

    void unreachable(final int status, final byte[] data) {
        state = State.ROUTED;
        channel.offer(new BondCmEvent(
                CmEventType.UNREACHABLE, this, null, status, data, ConnectParameters.of(new byte[0])));
    }

    /** Which vQP this id stands for: its own, or one that the application names. */
    DatagramRecord record(final int qpNum) {
        return qp != null
                ? qp.routes().record(0, 0)
                : new DatagramRecord(context.instance(), qpNum, 0, 0, 0, List.of());
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
        return CmPortSpace.UDP;
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
        return peer;
    }

    private VerbsException wrong(final String verb, final String detail) {
        return new VerbsException(verb, Errno.EINVAL, toString(), detail);
    }

    /** Takes the control lock, if the id is in one of those states. */
    private void enter(final String verb, final State... allowed) {
        context.lock();
        if (!Arrays.asList(allowed).contains(state)) {
            final State now = state;
            context.unlock();
            throw wrong(verb, "it is " + now + ", the call needs " + Arrays.toString(allowed));
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
    public void bindAddr(final InetSocketAddress address) {
        enter("bindAddr", State.IDLE);
        try {
            if (!address.getAddress().isAnyLocalAddress() && !context.isOwnAddress(address.getAddress())) {
                throw new VerbsException(
                        "bindAddr",
                        Errno.EADDRNOTAVAIL,
                        toString(),
                        address.getAddress().getHostAddress() + " is neither the bond's alias nor a member's address");
            }
            listeners = MemberListeners.bind(context, this, CmPortSpace.UDP, address.getPort());
            local = new InetSocketAddress(address.getAddress(), listeners.port());
            state = State.BOUND;
        } finally {
            context.unlock();
        }
    }

    @Override
    public void listen(final int backlog) {
        enter("listen", State.BOUND);
        try {
            java.util.Objects.requireNonNull(listeners).listen(backlog);
            state = State.LISTENING;
        } finally {
            context.unlock();
        }
    }

    @Override
    public void resolveAddr(
            final @Nullable InetSocketAddress source, final InetSocketAddress to, final int timeoutMs) {
        enter("resolveAddr", State.IDLE, State.BOUND);
        try {
            if (to.isUnresolved()) {
                throw wrong("resolveAddr", "the host name " + to.getHostString() + " could not be resolved");
            }
            peer = to;
            state = State.RESOLVED;
            channel.offer(BondCmEvent.of(CmEventType.ADDR_RESOLVED, this, 0));
        } finally {
            context.unlock();
        }
    }

    @Override
    public void resolveRoute(final int timeoutMs) {
        enter("resolveRoute", State.RESOLVED);
        state = State.ROUTED;
        channel.offer(BondCmEvent.of(CmEventType.ROUTE_RESOLVED, this, 0));
        context.unlock();
    }

    /** A queue pair of RDMA_PS_UDP is in RTS at once: it has no peer to wait for. */
    @Override
    public QueuePair createQp(final ProtectionDomain pd, final QpInitAttributes attributes) {
        enter("createQp", State.RESOLVED, State.ROUTED, State.REQUESTED);
        try {
            if (qp != null) {
                throw wrong("createQp", "it has a queue pair already");
            }
            if (pd.context() != context) {
                throw wrong("createQp", "the protection domain belongs to another context");
            }
            if (attributes.qpType() != QpType.UD) {
                throw wrong("createQp", "an id of RDMA_PS_UDP takes a QP of type UD");
            }
            final BondDatagramQp created = (BondDatagramQp) pd.createQp(attributes);
            created.modify(new QpAttributes()
                    .qpState(QpState.INIT)
                    .pkeyIndex(0)
                    .portNum(VirtualPort.NUMBER)
                    .qkey(ConnectParameters.UDP_QKEY));
            created.modify(new QpAttributes().qpState(QpState.RTR));
            created.modify(new QpAttributes().qpState(QpState.RTS).sqPsn(0));
            qp = created;
            return created;
        } finally {
            context.unlock();
        }
    }

    @Override
    public void destroyQp() {
        context.lock();
        try {
            final BondDatagramQp gone = qp;
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
        // Nothing is acknowledged.
    }

    @Override
    public void connect(final ConnectParameters parameters) {
        checkLength("connect", parameters.privateData(), MAX_CONNECT_DATA);
        enter("connect", State.ROUTED);
        try {
            final InetSocketAddress to = java.util.Objects.requireNonNull(peer);
            final List<InetAddress> listed = context.config().peers().get(to.getAddress());
            final ServiceResolution started = new ServiceResolution(
                    this,
                    new PathCandidates(
                            context,
                            listed != null ? listed : context.peers().addressesOf(to.getAddress()),
                            Placement.PEERS),
                    to.getPort(),
                    parameters);
            resolution = started;
            state = State.CONNECTING;
            context.conductor().later(started::start);
        } finally {
            context.unlock();
        }
    }

    /** Answers with the queue pair of this id, or where it has none with the one that the parameters name. */
    @Override
    public void accept(final ConnectParameters parameters) {
        checkLength("accept", parameters.privateData(), MAX_ACCEPT_DATA);
        enter("accept", State.REQUESTED);
        try {
            final int qpNum = qp == null ? parameters.qpNum() : qp.qpNum();
            final int qkey = parameters.qkey() == 0 ? ConnectParameters.UDP_QKEY : parameters.qkey();
            java.util.Objects.requireNonNull(request)
                    .acceptDatagrams(record(qpNum).encodeBefore(parameters.privateData()), qpNum, qkey);
            state = State.ANSWERED;
            channel.offer(BondCmEvent.of(CmEventType.ESTABLISHED, this, 0));
        } finally {
            context.unlock();
        }
    }

    @Override
    public void reject(final byte[] privateData) {
        checkLength("reject", privateData, MAX_REJECT_DATA);
        enter("reject", State.REQUESTED);
        try {
            state = State.ANSWERED;
            java.util.Objects.requireNonNull(request)
                    .reject(new RejectRecord(RejectCode.APPLICATION, SessionId.NONE, 0, privateData).encode());
        } finally {
            context.unlock();
        }
    }

    @Override
    public void disconnect() {
        throw wrong("disconnect", "an id of RDMA_PS_UDP has no connection");
    }

    @Override
    public void close() {
        context.lock();
        try {
            if (state == State.CLOSED) {
                return;
            }
            state = State.CLOSED;
            if (resolution != null) {
                resolution.cancel();
            }
            if (request != null) {
                request.close();
            }
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
        return context.name() + " cm id" + (local == null ? "" : " " + local) + (peer == null ? "" : " to " + peer);
    }
}
