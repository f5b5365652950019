package io.vhca.bond.fake;

import io.vhca.api.Context;
import io.vhca.api.Errno;
import io.vhca.api.ProtectionDomain;
import io.vhca.api.QpInitAttributes;
import io.vhca.api.QueuePair;
import io.vhca.api.ServiceClass;
import io.vhca.api.VerbsException;
import io.vhca.api.cm.CmEventChannel;
import io.vhca.api.cm.CmEventType;
import io.vhca.api.cm.CmId;
import io.vhca.api.cm.CmPortSpace;
import io.vhca.api.cm.ConnectParameters;
import io.vhca.bond.fake.FakeFabric.CmMessage;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A CM id of a fake device. Its messages arrive at once or, where the path is cut or the fabric loses that kind, never;
 * nothing is repeated.
 */
public final class FakeCmId implements CmId {
    private static final byte[] NONE = new byte[0];
    private static final int INVALID_SERVICE_ID = 8;
    private static final int BY_CONSUMER = 28;
    private static final int CANCELLED = 4;

    private final FakeCmChannel channel;
    private final CmPortSpace portSpace;
    private final @Nullable Object idContext;
    private @Nullable InetSocketAddress local;
    private @Nullable InetSocketAddress destination;
    private @Nullable FakeCmId remote;
    private @Nullable FakeQp qp;
    private boolean listening;
    private boolean asking;
    private boolean asked;
    private boolean established;
    private boolean closed;
    private int ackTimeout;
    private int rnrRetry;
    private ServiceClass serviceClass = ServiceClass.NONE;

    FakeCmId(final FakeCmChannel channel, final CmPortSpace portSpace, final @Nullable Object idContext) {
        this.channel = channel;
        this.portSpace = portSpace;
        this.idContext = idContext;
        channel.add(this);
    }

    private FakeContext fake() {
        return channel.fake();
    }

    /** An event of this id arrives. */
    public void say(final CmEventType type, final int status, final byte[] data) {
        if (!closed) {
            channel.push(FakeCmEvent.of(type, this, status, data));
        }
    }

    private boolean arrives(final CmMessage kind, final FakeCmId at) {
        return !at.closed
                && !at.fake().isDead()
                && !fake().isDead()
                && !fake().fabric().isLost(kind)
                && fake().fabric().reaches(fake().fake(), at.fake().fake());
    }

    // ---- active -----------------------------------------------------------------------------------------------------

    @Override
    public void resolveAddr(
            final @Nullable InetSocketAddress source, final InetSocketAddress to, final int timeoutMs) {
        fake().check("resolveAddr");
        if (!fake().fake().isRouted(to.getAddress())) {
            throw new VerbsException("resolveAddr", Errno.ENETUNREACH, to.toString(), "no route");
        }
        if (source != null && source.getPort() != 0 && !fake().take(portSpace, source.getPort(), this)) {
            throw new VerbsException("resolveAddr", Errno.EADDRINUSE, toString(), source + " is in use");
        }
        local = source;
        destination = to;
        say(fake().fake().isUp() ? CmEventType.ADDR_RESOLVED : CmEventType.ADDR_ERROR, 0, NONE);
    }

    @Override
    public void resolveRoute(final int timeoutMs) {
        fake().check("resolveRoute");
        say(CmEventType.ROUTE_RESOLVED, 0, NONE);
    }

    @Override
    public void connect(final ConnectParameters parameters) {
        fake().check("connect");
        asking = true;
        final InetSocketAddress to = Objects.requireNonNull(destination);
        fake().fabric().hear(CmMessage.REQ, fake(), to, parameters.privateData());
        final FakeContext target = fake().fabric().reach(fake(), to.getAddress());
        if (target == null || target.isDead() || fake().fabric().isLost(CmMessage.REQ)) {
            return;
        }
        final FakeCmId listener = target.listener(portSpace, to.getPort());
        if (listener == null || !listener.listening || !listener.isAt(to.getAddress())) {
            final boolean isService = portSpace == CmPortSpace.UDP;
            say(isService ? CmEventType.UNREACHABLE : CmEventType.REJECTED, INVALID_SERVICE_ID, NONE);
            return;
        }
        final FakeCmId child = new FakeCmId(listener.channel, portSpace, null);
        child.local = listener.local;
        child.destination = new InetSocketAddress(fake().fake().address(), local == null ? 0 : local.getPort());
        child.remote = this;
        child.asked = true;
        remote = child;
        listener.channel.push(new FakeCmEvent(
                CmEventType.CONNECT_REQUEST, child, listener, 0, parameters.privateData(), parameters));
    }

    /** Bound to any address, or to that one, as the kernel looks for who listens. */
    private boolean isAt(final InetAddress address) {
        final InetAddress own = local == null ? null : local.getAddress();
        return own == null || own.isAnyLocalAddress() || own.equals(address);
    }

    // ---- passive ----------------------------------------------------------------------------------------------------

    @Override
    public void bindAddr(final InetSocketAddress address) {
        fake().check("bindAddr");
        fake().fake().checkOwn(address.getAddress());
        int port = address.getPort();
        if (port == 0) {
            do {
                port = fake().nextPort();
            } while (!fake().take(portSpace, port, this));
        } else if (!fake().take(portSpace, port, this)) {
            throw new VerbsException("bindAddr", Errno.EADDRINUSE, toString(), "port " + port + " is in use");
        }
        local = new InetSocketAddress(address.getAddress(), port);
    }

    @Override
    public void listen(final int backlog) {
        fake().check("listen");
        fake().checkListen();
        if (listening) {
            throw new VerbsException("listen", Errno.EINVAL, toString(), "it listens already");
        }
        listening = true;
    }

    @Override
    public void accept(final ConnectParameters parameters) {
        fake().check("accept");
        final FakeCmId asker = Objects.requireNonNull(remote);
        asked = false;
        fake().fabric().hear(
                CmMessage.REP, fake(), Objects.requireNonNull(destination), parameters.privateData());
        final FakeQp own = qp;
        if (own != null && asker.qp != null) {
            own.connected(asker.qp);
        }
        if (!asker.asking || !arrives(CmMessage.REP, asker)) {
            return;
        }
        asker.asking = false;
        asker.established = true;
        if (asker.qp != null && own != null) {
            asker.qp.connected(own);
        }
        asker.channel.push(new FakeCmEvent(
                CmEventType.ESTABLISHED, asker, null, 0, parameters.privateData(), parameters));
        if (portSpace == CmPortSpace.TCP) {
            if (asker.arrives(CmMessage.RTU, this)) {
                confirmed();
            } else {
                fake().fabric().missed(this::confirmed);
            }
        }
    }

    private void confirmed() {
        established = true;
        say(CmEventType.ESTABLISHED, 0, NONE);
    }

    @Override
    public void reject(final byte[] privateData) {
        reject(BY_CONSUMER, privateData);
    }

    /** The CM rejects by itself, for that reason. */
    public void refuse(final int reason) {
        reject(reason, NONE);
    }

    private void reject(final int reason, final byte[] privateData) {
        fake().check("reject");
        asked = false;
        fake().fabric().hear(CmMessage.REJ, fake(), Objects.requireNonNull(destination), privateData);
        final FakeCmId asker = Objects.requireNonNull(remote);
        if (asker.asking && arrives(CmMessage.REJ, asker)) {
            asker.asking = false;
            asker.say(
                    portSpace == CmPortSpace.UDP ? CmEventType.UNREACHABLE : CmEventType.REJECTED,
                    portSpace == CmPortSpace.UDP ? 1 : reason,
                    privateData);
        }
    }

    // ---- both -------------------------------------------------------------------------------------------------------

    @Override
    public QueuePair createQp(final ProtectionDomain pd, final QpInitAttributes attributes) {
        final FakeQp created = (FakeQp) pd.createQp(attributes);
        created.initialize();
        created.ofClass(() -> serviceClass);
        qp = created;
        return created;
    }

    @Override
    public void destroyQp() {
        if (qp != null) {
            qp.close();
            qp = null;
        }
    }

    @Override
    public void disconnect() {
        final FakeCmId other = remote;
        if (other != null && established) {
            established = false;
            if (arrives(CmMessage.DREQ, other)) {
                other.say(CmEventType.DISCONNECTED, 0, NONE);
            }
            say(CmEventType.DISCONNECTED, 0, NONE);
        }
    }

    @Override
    public void close() {
        if (closed) {
            return;
        }
        destroyQp();
        final FakeCmId other = remote;
        if (other != null) {
            if (established && arrives(CmMessage.DREQ, other)) {
                other.say(CmEventType.DISCONNECTED, 0, NONE);
            } else if (asked && arrives(CmMessage.REJ, other)) {
                other.say(CmEventType.REJECTED, BY_CONSUMER, NONE);
            } else if (asking && arrives(CmMessage.REJ, other)) {
                other.say(CmEventType.REJECTED, CANCELLED, NONE);
            }
        }
        closed = true;
        fake().free(this);
        channel.remove(this);
    }

    @Override
    public void ackTimeout(final int timeout) {
        ackTimeout = timeout;
    }

    @Override
    public void rnrRetry(final int count) {
        rnrRetry = count;
    }

    @Override
    public void serviceClass(final ServiceClass wanted) {
        serviceClass = wanted;
    }

    @Override
    public ServiceClass serviceClass() {
        return serviceClass;
    }

    /** What {@link #ackTimeout} and {@link #rnrRetry} were given. */
    public String settings() {
        return "ack_timeout " + ackTimeout + " rnr_retry " + rnrRetry;
    }

    public boolean isClosed() {
        return closed;
    }

    @Override
    public CmEventChannel channel() {
        return channel;
    }

    @Override
    public Context context() {
        return fake();
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
        return local;
    }

    @Override
    public @Nullable InetSocketAddress peerAddress() {
        return destination;
    }

    @Override
    public String toString() {
        return fake().device().name() + " cm id " + local;
    }
}
