package io.vhca.physical.verbs;

import io.vhca.api.Context;
import io.vhca.api.Errno;
import io.vhca.api.Gid;
import io.vhca.api.NativeMemory;
import io.vhca.api.ProtectionDomain;
import io.vhca.api.QpInitAttributes;
import io.vhca.api.QpType;
import io.vhca.api.QueuePair;
import io.vhca.api.ServiceClass;
import io.vhca.api.VerbsException;
import io.vhca.api.cm.CmEventChannel;
import io.vhca.api.cm.CmEventType;
import io.vhca.api.cm.CmId;
import io.vhca.api.cm.CmPortSpace;
import io.vhca.api.cm.ConnectParameters;
import io.vhca.physical.rdmacore.rdma_cm_id;
import io.vhca.physical.verbs.lib.ConnParamCodec;
import io.vhca.physical.verbs.lib.GidTable;
import io.vhca.physical.verbs.lib.RdmaCm;
import io.vhca.physical.verbs.lib.SockAddr;
import io.vhca.physical.verbs.lib.VerbFailure;
import java.lang.foreign.Arena;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * An id of librdmacm. Any thread; its monitor orders calls and events.
 *
 * <p>The QP is not librdmacm's: that library has one context a device, while every open context here is its own. So the
 * QP is made on this context, librdmacm is told its number, and its moves to INIT, RTR and RTS are made here from the
 * attributes that the kernel's connection manager gives ({@link QpBringUp}).
 */
final class VerbsCmId implements CmId, PostponedIds.Id {
    private static final int RDMA_OPTION_ID = 0;
    private static final int RDMA_OPTION_ID_TOS = 0;
    private static final int RDMA_OPTION_ID_ACK_TIMEOUT = 3;
    private static final long VERBS_OFFSET = rdma_cm_id.verbs$offset();
    private static final long SOURCE_OFFSET =
            rdma_cm_id.layout().byteOffset(MemoryLayout.PathElement.groupElement("route"));
    /** The two addresses are unions of {@code struct sockaddr_storage}, one after the other. */
    private static final long DESTINATION_OFFSET = SOURCE_OFFSET + SockAddr.SIZE;

    private final VerbsEventChannel channel;
    private final VerbsContext context;
    private final long address;
    private final CmPortSpace portSpace;
    private final @Nullable Object idContext;
    private CmIdState state;
    private @Nullable VerbsQp qp;
    /** What connect was given; of a passive id what the request says. */
    private ConnectParameters parameters = ConnectParameters.of(new byte[0]);
    /** The connection stands: before that the kernel sends no word of its end. */
    private boolean isEstablished;
    /** That word is to be sent as soon as it can be. */
    private boolean isDisconnecting;
    /** Local ack timeout of the QP, -1 for the connection manager's own choice. */
    private int ackTimeout = -1;
    private int rnrRetry = -1;
    private ServiceClass serviceClass = ServiceClass.NONE;
    /** Of a passive id: what the request asks for, once somebody wanted to know, or it was accepted. */
    private @Nullable ServiceClass asked;

    private @Nullable InetSocketAddress localAddress;
    private @Nullable InetSocketAddress peerAddress;

    VerbsCmId(
            final VerbsEventChannel channel,
            final long address,
            final CmPortSpace portSpace,
            final @Nullable Object idContext,
            final CmIdState state) {
        this.channel = channel;
        this.address = address;
        this.portSpace = portSpace;
        this.idContext = idContext;
        this.state = state;
        context = channel.context();
    }

    /** Address of the {@code struct rdma_cm_id}. */
    long address() {
        return address;
    }

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
        return portSpace;
    }

    @Override
    public synchronized @Nullable QueuePair qp() {
        return qp;
    }

    @Override
    public synchronized @Nullable InetSocketAddress localAddress() {
        return localAddress;
    }

    @Override
    public synchronized @Nullable InetSocketAddress peerAddress() {
        return peerAddress;
    }

    private void readAddresses() {
        localAddress = SockAddr.read(address + SOURCE_OFFSET);
        peerAddress = SockAddr.read(address + DESTINATION_OFFSET);
    }

    private void require(final String verb, final CmIdState... allowed) {
        if (state == CmIdState.CLOSED) {
            throw VerbFailure.closed(verb, toString());
        }
        context.requireLive(verb);
        for (final CmIdState one : allowed) {
            if (state == one) {
                return;
            }
        }
        throw VerbFailure.invalid(
                verb, toString(), "the id is in state " + state + ", the call needs " + Arrays.toString(allowed));
    }

    private void check(final String verb, final int failed) {
        if (failed < 0) {
            throw VerbFailure.of(verb, failed, toString());
        }
    }

    private void requirePrivateData(final String verb, final byte[] data, final int most) {
        if (data.length > most) {
            throw VerbFailure.invalid(
                    verb, toString(), data.length + " bytes of private data, at most " + most + " fit");
        }
    }

    /**
     * The device's own address for a wildcard, of the peer's family where there is a peer; else the address itself,
     * which must be the device's.
     */
    private InetAddress ownAddress(final String verb, final InetAddress wanted, final @Nullable InetAddress peer) {
        final GidTable gids = GidTable.of(context.address());
        if (!wanted.isAnyLocalAddress()) {
            if (!gids.holds(Gid.of(wanted))) {
                throw new VerbsException(
                        verb,
                        Errno.EADDRNOTAVAIL,
                        toString(),
                        wanted.getHostAddress() + " is not an address of this device: see `ip addr` of its interface");
            }
            return wanted;
        }
        final GidTable.Entry ip = peer == null ? gids.ip(1) : gids.ip(1, peer instanceof Inet4Address);
        if (ip == null) {
            throw new VerbsException(
                    verb,
                    Errno.EADDRNOTAVAIL,
                    toString(),
                    "the device's interface has no IP address" + (peer == null ? "" : " of the kind of " + peer)
                            + ": give it one with `ip addr add`");
        }
        return ip.gid().address();
    }

    @Override
    public synchronized void bindAddr(final InetSocketAddress wanted) {
        require("bindAddr", CmIdState.IDLE);
        if (wanted.getAddress() == null) {
            throw VerbFailure.invalid("bindAddr", toString(), wanted + " has no IP address");
        }
        try (Arena arena = Arena.ofConfined()) {
            final InetAddress own = ownAddress("bindAddr", wanted.getAddress(), null);
            final long to = SockAddr.write(arena, own, wanted.getPort()).address();
            check("bindAddr", RdmaCm.BIND_ADDR.status(address, to));
        }
        readAddresses();
        state = CmIdState.BOUND;
    }

    @Override
    public synchronized void resolveAddr(
            final @Nullable InetSocketAddress source, final InetSocketAddress destination, final int timeoutMs) {
        require("resolveAddr", CmIdState.IDLE, CmIdState.BOUND);
        InetAddress to = destination.getAddress();
        if (to == null || destination.getPort() == 0) {
            throw VerbFailure.invalid(
                    "resolveAddr", toString(), "the destination " + destination + " needs an IP address and a port");
        }
        try (Arena arena = Arena.ofConfined()) {
            long from = 0;
            if (state == CmIdState.IDLE) {
                final InetAddress wanted = source == null ? null : source.getAddress();
                final InetAddress own = ownAddress(
                        "resolveAddr", wanted == null ? InetAddress.ofLiteral("0.0.0.0") : wanted,
                        to.isAnyLocalAddress() ? null : to);
                to = to.isAnyLocalAddress() ? own : to;
                from = SockAddr.write(arena, own, source == null ? 0 : source.getPort()).address();
            }
            to = to.isAnyLocalAddress() && localAddress != null ? localAddress.getAddress() : to;
            final long at = SockAddr.write(arena, to, destination.getPort()).address();
            final CmIdState before = state;
            state = CmIdState.RESOLVING_ADDR;
            final int failed = RdmaCm.RESOLVE_ADDR.status(address, from, at, timeoutMs);
            if (failed < 0) {
                state = before;
                throw VerbFailure.of("resolveAddr", failed, toString());
            }
        }
        peerAddress = new InetSocketAddress(to, destination.getPort());
    }

    @Override
    public synchronized void resolveRoute(final int timeoutMs) {
        require("resolveRoute", CmIdState.ADDR_RESOLVED);
        state = CmIdState.RESOLVING_ROUTE;
        final int failed = RdmaCm.RESOLVE_ROUTE.status(address, timeoutMs);
        if (failed < 0) {
            state = CmIdState.ADDR_RESOLVED;
            throw VerbFailure.of("resolveRoute", failed, toString());
        }
    }

    @Override
    public synchronized QueuePair createQp(final ProtectionDomain pd, final QpInitAttributes attributes) {
        require("createQp", CmIdState.ADDR_RESOLVED, CmIdState.ROUTE_RESOLVED, CmIdState.REQUESTED);
        if (qp != null) {
            throw VerbFailure.invalid("createQp", toString(), "the id has a QP already");
        }
        final QpType wanted = portSpace == CmPortSpace.TCP ? QpType.RC : QpType.UD;
        if (attributes.qpType() != wanted) {
            throw VerbFailure.invalid(
                    "createQp", toString(), "an id of RDMA_PS_" + portSpace + " takes a QP of type " + wanted);
        }
        if (!(pd instanceof final VerbsPd own) || own.context() != context) {
            throw VerbFailure.invalid(
                    "createQp", toString(), "the protection domain belongs to another context than the id");
        }
        final VerbsQp made = (VerbsQp) own.createQp(attributes);
        try {
            QpBringUp.toInit(address, made);
        } catch (final VerbsException e) {
            made.close();
            throw e;
        }
        qp = made;
        return made;
    }

    @Override
    public void destroyQp() {
        final VerbsQp mine;
        synchronized (this) {
            mine = qp;
        }
        if (mine != null) {
            mine.close();
            synchronized (this) {
                qp = qp == mine ? null : qp;
            }
        }
    }

    @Override
    public synchronized void ackTimeout(final int timeout) {
        if (timeout < 0 || timeout > 31) {
            throw VerbFailure.invalid("ackTimeout", toString(), "the local ack timeout is 0 .. 31");
        }
        if (state == CmIdState.CLOSED) {
            throw VerbFailure.closed("ackTimeout", toString());
        }
        context.requireLive("ackTimeout");
        setOption("ackTimeout", RDMA_OPTION_ID_ACK_TIMEOUT, timeout);
        ackTimeout = timeout;
    }

    private void setOption(final String verb, final int option, final int value) {
        try (Arena arena = Arena.ofConfined()) {
            final MemorySegment given = arena.allocateFrom(ValueLayout.JAVA_BYTE, (byte) value);
            final int failed =
                    RdmaCm.SET_OPTION.status(address, RDMA_OPTION_ID, option, given.address(), Byte.BYTES);
            // An older kernel does not know the option, and after the route none looks at it: the QP gets it anyway.
            if (failed < 0 && failed != -Errno.EINVAL && failed != -Errno.EOPNOTSUPP) {
                throw VerbFailure.of(verb, failed, toString());
            }
        }
    }

    @Override
    public synchronized void rnrRetry(final int count) {
        if (count < 0 || count > ConnectParameters.ENDLESS_RNR_RETRY) {
            throw VerbFailure.invalid("rnrRetry", toString(), "rnr_retry is " + count + ", allowed is 0 to 7");
        }
        if (state == CmIdState.CLOSED) {
            throw VerbFailure.closed("rnrRetry", toString());
        }
        rnrRetry = count;
    }

    @Override
    public synchronized void serviceClass(final ServiceClass wanted) {
        if (state == CmIdState.CLOSED) {
            throw VerbFailure.closed("serviceClass", toString());
        }
        context.requireLive("serviceClass");
        if (wanted.trafficClass() != ServiceClass.UNSET) {
            setOption("serviceClass", RDMA_OPTION_ID_TOS, wanted.trafficClass());
        }
        serviceClass = wanted;
    }

    @Override
    public synchronized ServiceClass serviceClass() {
        readAsked();
        return asked == null ? serviceClass : serviceClass.or(asked);
    }

    /** Of a request that waits for its answer; of one that has it the kernel need not say what it asked for. */
    private void readAsked() {
        if (asked == null && state == CmIdState.REQUESTED && portSpace == CmPortSpace.TCP) {
            asked = QpBringUp.serviceClass(address, toString());
        }
    }

    @Override
    public synchronized void listen(final int backlog) {
        require("listen", CmIdState.BOUND);
        check("listen", RdmaCm.LISTEN.status(address, backlog));
        readAddresses();
        state = CmIdState.LISTENING;
    }

    private MemorySegment connParam(final Arena arena, final ConnectParameters wanted) {
        final VerbsQp mine = qp;
        return ConnParamCodec.write(
                arena,
                wanted,
                context.queryDevice(),
                mine == null ? wanted.qpNum() : mine.qpNum(),
                mine != null && mine.srq() != null);
    }

    @Override
    public synchronized void connect(final ConnectParameters wanted) {
        require("connect", CmIdState.ROUTE_RESOLVED);
        requirePrivateData("connect", wanted.privateData(), ConnectParameters.MAX_REQ_PRIVATE_DATA);
        try (Arena arena = Arena.ofConfined()) {
            parameters = wanted;
            state = CmIdState.CONNECTING;
            final int failed = RdmaCm.CONNECT.status(address, connParam(arena, wanted).address());
            if (failed < 0) {
                state = CmIdState.ROUTE_RESOLVED;
                throw VerbFailure.of("connect", failed, toString());
            }
        }
    }

    @Override
    public synchronized void accept(final ConnectParameters wanted) {
        if (state == CmIdState.CONNECTING && qp == null) {
            require("accept", CmIdState.CONNECTING);
            check("accept", RdmaCm.ESTABLISH.status(address));
            isEstablished = true;
            return;
        }
        require("accept", CmIdState.REQUESTED);
        requirePrivateData("accept", wanted.privateData(), portSpace.maxAcceptPrivateData());
        final VerbsQp mine = qp;
        try (Arena arena = Arena.ofConfined()) {
            readAsked();
            if (mine != null && portSpace == CmPortSpace.TCP) {
                QpBringUp.connect(address, mine, wanted, context.queryDevice(), ackTimeout, rnrRetry, serviceClass);
            }
            check("accept", RdmaCm.ACCEPT.status(address, connParam(arena, wanted).address()));
            state = CmIdState.ACCEPTED;
        } catch (final VerbsException e) {
            failQp();
            throw e;
        }
    }

    @Override
    public synchronized void reject(final byte[] privateData) {
        require("reject", CmIdState.REQUESTED);
        requirePrivateData("reject", privateData, portSpace.maxRejectPrivateData());
        try (Arena arena = Arena.ofConfined()) {
            final long data = ConnParamCodec.bytes(arena, privateData).address();
            check("reject", RdmaCm.REJECT.status(address, data, privateData.length));
        }
        state = CmIdState.OVER;
    }

    @Override
    public synchronized void disconnect() {
        require("disconnect", CmIdState.CONNECTING, CmIdState.ACCEPTED);
        if (portSpace == CmPortSpace.UDP || state == CmIdState.CONNECTING && !isEstablished) {
            throw VerbFailure.invalid("disconnect", toString(), "the id is not connected");
        }
        final VerbsQp mine = qp;
        if (mine != null) {
            mine.toErr();
        }
        isDisconnecting = true;
        final int failed = sendDisconnect();
        // The peer may have been first: then there is nothing left to end.
        if (failed < 0 && failed != -Errno.EINVAL) {
            throw VerbFailure.of("disconnect", failed, toString());
        }
    }

    /** Now, or once the port is up; what the kernel says of it. */
    private int sendDisconnect() {
        if (!context.isPortActive()) {
            // The message cannot leave, and trying harms some devices: see PostponedIds.
            context.postponedIds().addDisconnected(this);
            if (!context.isPortActive()) { // else the word that it is up may have been taken before
                return 0;
            }
            context.postponedIds().forgetDisconnected(this);
        }
        return RdmaCm.DISCONNECT.status(address);
    }

    /** Whatever that says: the peer may have been first, or the device be dead by now. */
    @Override
    public synchronized void sayDisconnected() {
        if (state != CmIdState.CLOSED) {
            RdmaCm.DISCONNECT.status(address);
        }
    }

    /** A request came with this id. */
    synchronized void requested(final ConnectParameters from) {
        parameters = from;
        readAddresses();
    }

    /** What an event says of the peer: the kernel does not say again what the request said. */
    synchronized ConnectParameters ofPeer(final CmEventType type, final ConnectParameters told) {
        return type == CmEventType.ESTABLISHED && state == CmIdState.ACCEPTED ? parameters : told;
    }

    /**
     * Takes note of an event, by the thread that reads the channel.
     *
     * @return what it means to the application; null when the id is closed
     */
    synchronized @Nullable CmEventType onEvent(final CmEventType type) {
        if (state == CmIdState.CLOSED) {
            return null;
        }
        switch (type) {
            case ADDR_RESOLVED -> {
                return addressResolved();
            }
            case ADDR_ERROR -> state = CmIdState.BOUND;
            case ROUTE_RESOLVED -> state = CmIdState.ROUTE_RESOLVED;
            case ROUTE_ERROR -> state = CmIdState.ADDR_RESOLVED;
            case CONNECT_RESPONSE -> {
                return qp == null ? type : establish(qp);
            }
            case ESTABLISHED -> established();
            case REJECTED, UNREACHABLE, CONNECT_ERROR -> {
                state = CmIdState.OVER;
                failQp();
            }
            default -> { }
        }
        return type;
    }

    private void established() {
        isEstablished = true;
        if (isDisconnecting) {
            sendDisconnect(); // whatever that says: the peer may have been first
        }
    }

    /**
     * No connection comes about: what was posted is flushed, as librdmacm does it where the peer says no. Not that of
     * a datagram QP, which needs no connection.
     */
    private void failQp() {
        if (qp != null && portSpace == CmPortSpace.TCP) {
            qp.toErr();
        }
    }

    private CmEventType addressResolved() {
        final long verbs = NativeMemory.getLong(address + VERBS_OFFSET);
        if (verbs == 0 || !VerbsContext.deviceNameOf(verbs).equals(VerbsContext.deviceNameOf(context.address()))) {
            state = CmIdState.OVER;
            return CmEventType.ADDR_ERROR;
        }
        readAddresses();
        state = CmIdState.ADDR_RESOLVED;
        return CmEventType.ADDR_RESOLVED;
    }

    private CmEventType establish(final VerbsQp mine) {
        try {
            QpBringUp.connect(address, mine, parameters, context.queryDevice(), ackTimeout, rnrRetry, serviceClass);
            check("establish", RdmaCm.ESTABLISH.status(address));
            isEstablished = true;
            return CmEventType.ESTABLISHED;
        } catch (final VerbsException e) {
            mine.toErr();
            if (context.isPortActive()) { // else it cannot leave, as in sendDisconnect
                RdmaCm.REJECT.status(address, 0, 0); // the peer need not wait for a word that never comes
            }
            state = CmIdState.OVER;
            return CmEventType.CONNECT_ERROR;
        }
    }

    @Override
    public void discard() {
        RdmaCm.DESTROY_ID.value(address);
    }

    @Override
    public void close() {
        final boolean isTalking;
        synchronized (this) {
            if (state == CmIdState.CLOSED) {
                return;
            }
            isTalking = state == CmIdState.CONNECTING || state == CmIdState.ACCEPTED || state == CmIdState.REQUESTED;
            state = CmIdState.CLOSED;
        }
        channel.forget(this);
        context.postponedIds().forgetDisconnected(this);
        if (isTalking && !context.isPortActive()) {
            context.postponedIds().add(this);
        } else {
            // Outside the monitor: it waits until a thread that reads an event of this id has acknowledged it.
            discard();
        }
        if (!context.postponedIds().isEmpty() && context.isPortActive()) {
            context.postponedIds().doAll();
        }
        try {
            destroyQp();
        } finally {
            channel.destroyed(this); // the C object is gone, whatever became of the QP
        }
    }

    @Override
    public String toString() {
        final InetSocketAddress local = localAddress;
        final InetSocketAddress peer = peerAddress;
        return context + " cm id " + (local == null ? "(unbound)" : local) + (peer == null ? "" : " to " + peer);
    }
}
