package io.vhca.physical.soft.cm;

import io.vhca.api.Context;
import io.vhca.api.Errno;
import io.vhca.api.ProtectionDomain;
import io.vhca.api.QpInitAttributes;
import io.vhca.api.QpType;
import io.vhca.api.QueuePair;
import io.vhca.api.ServiceClass;
import io.vhca.api.VerbsException;
import io.vhca.api.cm.CmEventType;
import io.vhca.api.cm.CmId;
import io.vhca.api.cm.CmPortSpace;
import io.vhca.api.cm.ConnectParameters;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** An id of the soft connection manager. The {@link CommunicationManager}'s lock guards everything in it. */
final class SoftCmId implements CmId {
    /**
     * 537 ms, as an id of the kernel has it over RoCE: the packet lifetime that drivers/infiniband/core/cma.c takes
     * there (CMA_IBOE_PACKET_LIFETIME, now 16) and one. The tries of a request bear that a peer's process is stopped
     * for a while; a peer that is gone is known after 4.3 s.
     */
    static final int DEFAULT_ACK_TIMEOUT = 17;

    private static final int DEFAULT_BACKLOG = 1024;

    final CommunicationManager manager;
    final SoftEventChannel channel;
    private final CmPortSpace portSpace;
    private final @Nullable Object idContext;
    CmIdState state = CmIdState.IDLE;
    @Nullable Connection connection;
    /** Of a passive id: where its request came to. */
    @Nullable SoftCmId listener;
    /** Of a listener: the requests in its backlog. */
    int pending;

    int backlog;
    /** Of a passive id: it is one of its listener's pending ones. */
    boolean isPending;
    /** Own local ack timeout, -1 until chosen. */
    int ackTimeout = -1;
    /** -1 for what the peer says. */
    int rnrRetry = -1;
    private ServiceClass serviceClass = ServiceClass.NONE;

    ConnectParameters parameters = ConnectParameters.of(new byte[0]);
    @Nullable QueuePair qp;
    private int port;
    private @Nullable InetSocketAddress localAddress;
    private @Nullable InetSocketAddress peerAddress;

    SoftCmId(
            final CommunicationManager manager,
            final SoftEventChannel channel,
            final CmPortSpace portSpace,
            final @Nullable Object idContext) {
        this.manager = manager;
        this.channel = channel;
        this.portSpace = portSpace;
        this.idContext = idContext;
    }

    /** Makes this the id of a request that came to {@code from}. */
    void becomeRequest(
            final SoftCmId from,
            final Connection request,
            final InetSocketAddress local,
            final InetSocketAddress peer) {
        assert manager.holdsLock() && state == CmIdState.IDLE : "a fresh id, under the manager's lock";
        listener = from;
        connection = request;
        localAddress = local;
        peerAddress = peer;
        state = CmIdState.REQUESTED;
        from.pending++;
        isPending = true;
    }

    /** The request of this id was taken, decided or withdrawn: its place in the listener's backlog is free. */
    void leaveBacklog() {
        if (isPending && listener != null) {
            assert manager.holdsLock() && listener.pending > 0 : "counted under the manager's lock";
            isPending = false;
            listener.pending--;
        }
    }

    @Override
    public SoftEventChannel channel() {
        return channel;
    }

    @Override
    public Context context() {
        return channel.context();
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
    public @Nullable QueuePair qp() {
        return qp;
    }

    @Override
    public @Nullable InetSocketAddress localAddress() {
        return localAddress;
    }

    @Override
    public @Nullable InetSocketAddress peerAddress() {
        return peerAddress;
    }

    /** The peer's address; EINVAL for a connect where it is not resolved. */
    InetSocketAddress requiredPeer() {
        final InetSocketAddress peer = peerAddress;
        if (peer == null) {
            throw invalid("connect", "the peer's address is not resolved");
        }
        return peer;
    }

    int port() {
        return port;
    }

    @Override
    public void bindAddr(final InetSocketAddress address) {
        manager.lock("bindAddr", this);
        try {
            requireState("bindAddr", CmIdState.IDLE);
            bind("bindAddr", address);
            state = CmIdState.BOUND;
        } finally {
            manager.unlock();
        }
    }

    private void bind(final String verb, final InetSocketAddress address) {
        final InetAddress wanted = address.getAddress();
        if (wanted == null || !wanted.isAnyLocalAddress() && !wanted.equals(manager.inetAddress())) {
            throw new VerbsException(
                    verb,
                    Errno.EADDRNOTAVAIL,
                    toString(),
                    address + " is not this device's address: use " + manager.inetAddress().getHostAddress()
                            + " or the wildcard");
        }
        port = manager.ports().take(this, address.getPort());
        localAddress = new InetSocketAddress(manager.inetAddress(), port);
    }

    @Override
    public void resolveAddr(
            final @Nullable InetSocketAddress source, final InetSocketAddress destination, final int timeoutMs) {
        manager.lock("resolveAddr", this);
        try {
            requireState("resolveAddr", CmIdState.IDLE, CmIdState.BOUND);
            if (destination.getAddress() == null || destination.getPort() == 0) {
                throw invalid("resolveAddr", "the destination " + destination + " needs an IP address and a port");
            }
            if (state == CmIdState.IDLE) {
                bind("resolveAddr", source != null ? source : new InetSocketAddress(manager.inetAddress(), 0));
            }
            final InetAddress to = destination.getAddress().isAnyLocalAddress()
                    ? manager.inetAddress()
                    : destination.getAddress();
            peerAddress = new InetSocketAddress(to, destination.getPort());
            if (manager.canReach(to)) {
                state = CmIdState.ADDR_RESOLVED;
                manager.raise(this, CmEventType.ADDR_RESOLVED, 0);
            } else {
                state = CmIdState.BOUND;
                manager.raise(this, CmEventType.ADDR_ERROR, -Errno.ENETUNREACH);
            }
        } finally {
            manager.unlock();
        }
    }

    @Override
    public void resolveRoute(final int timeoutMs) {
        manager.lock("resolveRoute", this);
        try {
            requireState("resolveRoute", CmIdState.ADDR_RESOLVED);
            state = CmIdState.ROUTE_RESOLVED;
            manager.raise(this, CmEventType.ROUTE_RESOLVED, 0);
        } finally {
            manager.unlock();
        }
    }

    @Override
    public QueuePair createQp(final ProtectionDomain pd, final QpInitAttributes attributes) {
        manager.lock("createQp", this);
        try {
            if (qp != null) {
                throw invalid("createQp", "the id has a QP already");
            }
            requireState("createQp", CmIdState.ADDR_RESOLVED, CmIdState.ROUTE_RESOLVED, CmIdState.REQUESTED);
            final QpType wanted = portSpace == CmPortSpace.TCP ? QpType.RC : QpType.UD;
            if (attributes.qpType() != wanted) {
                throw invalid("createQp", "an id of RDMA_PS_" + portSpace + " takes a QP of type " + wanted);
            }
            if (pd.context() != context()) {
                throw invalid("createQp", "the protection domain belongs to another context than the id");
            }
            final QueuePair made = pd.createQp(attributes);
            try {
                QpBringUp.init(made, 0);
            } catch (final RuntimeException e) {
                made.close(); // its device has died since
                throw e;
            }
            qp = made;
            return made;
        } finally {
            manager.unlock();
        }
    }

    @Override
    public void destroyQp() {
        manager.lockAnyway();
        try {
            final QueuePair mine = qp;
            qp = null;
            if (mine != null) {
                mine.close();
            }
        } finally {
            manager.unlock();
        }
    }

    /**
     * No connection comes about: what was posted is flushed, as librdmacm does it where the peer says no. Not that of
     * a datagram QP, which needs no connection.
     */
    void failQp() {
        assert manager.holdsLock() : "the QP of an id is the manager's lock's";
        final QueuePair mine = qp;
        if (mine != null && portSpace == CmPortSpace.TCP) {
            QpBringUp.fail(mine);
        }
    }

    @Override
    public void ackTimeout(final int timeout) {
        manager.lock("ackTimeout", this);
        try {
            if (timeout < 0 || timeout > 31) {
                throw invalid("ackTimeout", "the local ack timeout is 0 .. 31");
            }
            ackTimeout = timeout;
        } finally {
            manager.unlock();
        }
    }

    @Override
    public void rnrRetry(final int count) {
        manager.lock("rnrRetry", this);
        try {
            if (count < 0 || count > ConnectParameters.ENDLESS_RNR_RETRY) {
                throw invalid("rnrRetry", "rnr_retry is " + count + ", allowed is 0 to 7");
            }
            rnrRetry = count;
        } finally {
            manager.unlock();
        }
    }

    @Override
    public void serviceClass(final ServiceClass wanted) {
        manager.lock("serviceClass", this);
        try {
            serviceClass = wanted;
        } finally {
            manager.unlock();
        }
    }

    @Override
    public ServiceClass serviceClass() {
        final Connection known = connection;
        return known == null ? serviceClass : serviceClass.or(known.peerClass);
    }

    @Override
    public void listen(final int wantedBacklog) {
        manager.lock("listen", this);
        try {
            requireState("listen", CmIdState.BOUND);
            backlog = wantedBacklog > 0 ? wantedBacklog : DEFAULT_BACKLOG;
            state = CmIdState.LISTENING;
        } finally {
            manager.unlock();
        }
    }

    @Override
    public void connect(final ConnectParameters wanted) {
        manager.lock("connect", this);
        try {
            requireState("connect", CmIdState.ROUTE_RESOLVED);
            requirePrivateData("connect", wanted.privateData(), ConnectParameters.MAX_REQ_PRIVATE_DATA);
            parameters = bounded(wanted);
            manager.startConnect(this);
            state = CmIdState.CONNECTING;
        } finally {
            manager.unlock();
        }
    }

    @Override
    public void accept(final ConnectParameters wanted) {
        manager.lock("accept", this);
        try {
            final Connection mine = connection;
            final boolean isAnswered = mine != null && mine.state == ConnState.REP_RCVD;
            if (state != CmIdState.CONNECTING || !isAnswered || qp != null) {
                requireState("accept", CmIdState.REQUESTED);
            }
            requirePrivateData("accept", wanted.privateData(), portSpace.maxAcceptPrivateData());
            parameters = bounded(wanted);
            manager.accept(this);
        } finally {
            manager.unlock();
        }
    }

    @Override
    public void reject(final byte[] privateData) {
        manager.lock("reject", this);
        try {
            requireState("reject", CmIdState.REQUESTED);
            requirePrivateData("reject", privateData, portSpace.maxRejectPrivateData());
            manager.reject(this, privateData.clone());
        } finally {
            manager.unlock();
        }
    }

    @Override
    public void disconnect() {
        manager.lock("disconnect", this);
        try {
            requireState("disconnect", CmIdState.CONNECTING, CmIdState.ACCEPTED);
            manager.disconnect(this);
        } finally {
            manager.unlock();
        }
    }

    @Override
    public void close() {
        manager.lockAnyway();
        try {
            if (state != CmIdState.CLOSED) {
                manager.closeId(this);
                destroyQp();
            }
        } finally {
            manager.unlock();
        }
    }

    private ConnectParameters bounded(final ConnectParameters wanted) {
        return new ConnectParameters(
                wanted.privateData().clone(),
                Math.min(wanted.responderResources(), manager.maxRdAtomic()),
                Math.min(wanted.initiatorDepth(), manager.maxRdAtomic()),
                Math.min(wanted.retryCount(), 7),
                Math.min(wanted.rnrRetryCount(), 7),
                wanted.qpNum(),
                wanted.qkey());
    }

    private void requirePrivateData(final String verb, final byte[] data, final int most) {
        if (data.length > most) {
            throw invalid(verb, data.length + " bytes of private data, at most " + most + " fit");
        }
    }

    private void requireState(final String verb, final CmIdState... allowed) {
        for (final CmIdState one : allowed) {
            if (state == one) {
                return;
            }
        }
        throw invalid(verb, "the id is in state " + state + ", the call needs " + Arrays.toString(allowed));
    }

    VerbsException invalid(final String verb, final String detail) {
        return new VerbsException(verb, Errno.EINVAL, toString(), detail);
    }

    @Override
    public String toString() {
        return manager.name() + " cm id "
                + (localAddress == null ? "(unbound)" : localAddress)
                + (peerAddress == null ? "" : " to " + peerAddress);
    }
}
