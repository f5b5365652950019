package io.vhca.harness.bench;

import io.vhca.api.Context;
import io.vhca.api.Errno;
import io.vhca.api.ProtectionDomain;
import io.vhca.api.QpInitAttributes;
import io.vhca.api.QpState;
import io.vhca.api.QueuePair;
import io.vhca.api.ServiceClass;
import io.vhca.api.VerbsException;
import io.vhca.api.cm.CmEventChannel;
import io.vhca.api.cm.CmEventType;
import io.vhca.api.cm.CmId;
import io.vhca.api.cm.CmPortSpace;
import io.vhca.api.cm.ConnectParameters;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;

/** A communication identifier of a null device; every step ends at once. Any thread, one call at a time. */
final class NullCmId implements CmId {
    private static final int REJ_INVALID_SERVICE_ID = 8;
    private static final int REJ_CONSUMER_DEFINED = 28;
    private static final ConnectParameters NOTHING = ConnectParameters.of(new byte[0]);

    private final NullCmChannel channel;
    private final NullContext context;
    private final CmPortSpace portSpace;
    private final @Nullable Object idContext;
    private @Nullable InetSocketAddress local;
    private @Nullable InetSocketAddress remote;
    private @Nullable NullQp qp;
    private @Nullable NullCmId other;
    private boolean closed;

    NullCmId(
            final NullCmChannel channel,
            final NullContext context,
            final CmPortSpace portSpace,
            final @Nullable Object idContext) {
        this.channel = channel;
        this.context = context;
        this.portSpace = portSpace;
        this.idContext = idContext;
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
    public @Nullable QueuePair qp() {
        return qp;
    }

    @Override
    public @Nullable InetSocketAddress localAddress() {
        return local;
    }

    @Override
    public @Nullable InetSocketAddress peerAddress() {
        return remote;
    }

    @Override
    public void bindAddr(final InetSocketAddress address) {
        local = own(address.getPort());
    }

    private InetSocketAddress own(final int port) {
        final NullDevice device = (NullDevice) context.device();
        return new InetSocketAddress(device.address(), port != 0 ? port : NullFabric.freePort());
    }

    @Override
    public void resolveAddr(
            final @Nullable InetSocketAddress source, final InetSocketAddress destination, final int timeoutMs) {
        local = own(source != null ? source.getPort() : 0);
        remote = destination;
        channel.raise(CmEventType.ADDR_RESOLVED, this, null, 0, NOTHING);
    }

    @Override
    public void resolveRoute(final int timeoutMs) {
        channel.raise(CmEventType.ROUTE_RESOLVED, this, null, 0, NOTHING);
    }

    @Override
    public QueuePair createQp(final ProtectionDomain pd, final QpInitAttributes attributes) {
        final NullQp made = new NullQp((NullPd) pd, attributes);
        made.enter(QpState.INIT);
        qp = made;
        return made;
    }

    @Override
    public void destroyQp() {
        if (qp != null) {
            qp.close();
            qp = null;
        }
    }

    @Override
    public void ackTimeout(final int timeout) {
        // Nothing is ever late.
    }

    @Override
    public void rnrRetry(final int count) {
        // Nothing is ever sent again.
    }

    @Override
    public void serviceClass(final ServiceClass wanted) {
        // Nothing is on a wire.
    }

    @Override
    public ServiceClass serviceClass() {
        return ServiceClass.NONE;
    }

    @Override
    public void listen(final int backlog) {
        final InetSocketAddress address = local;
        if (address == null) {
            throw new VerbsException("listen", Errno.EINVAL, context.device().name() + " id", "bind it first");
        }
        NullFabric.listen(address, this);
    }

    @Override
    public void connect(final ConnectParameters parameters) {
        limit("connect", parameters, ConnectParameters.MAX_REQ_PRIVATE_DATA);
        final InetSocketAddress to = remote;
        final NullCmId listener = to == null ? null : NullFabric.listener(to);
        if (listener == null) {
            channel.raise(CmEventType.REJECTED, this, null, REJ_INVALID_SERVICE_ID, NOTHING);
            return;
        }
        final NullCmId child = new NullCmId(listener.channel, listener.context, portSpace, listener.idContext);
        child.local = listener.local;
        child.remote = local;
        child.other = this;
        other = child;
        listener.channel.raise(CmEventType.CONNECT_REQUEST, child, listener, 0, parameters);
    }

    @Override
    public void accept(final ConnectParameters parameters) {
        limit("accept", parameters, ConnectParameters.MAX_REP_PRIVATE_DATA);
        final NullCmId active = other;
        if (active == null || active.closed) {
            channel.raise(CmEventType.CONNECT_ERROR, this, null, -Errno.ECONNRESET, NOTHING);
            return;
        }
        if (qp != null) {
            qp.connect(active.qp);
        }
        if (active.qp != null) {
            active.qp.connect(qp);
        }
        active.channel.raise(CmEventType.ESTABLISHED, active, null, 0, parameters);
        channel.raise(CmEventType.ESTABLISHED, this, null, 0, NOTHING);
    }

    @Override
    public void reject(final byte[] privateData) {
        final NullCmId active = other;
        if (active != null) {
            active.channel.raise(
                    CmEventType.REJECTED, active, null, REJ_CONSUMER_DEFINED, ConnectParameters.of(privateData));
        }
    }

    private void limit(final String verb, final ConnectParameters parameters, final int most) {
        if (parameters.privateData().length > most) {
            throw new VerbsException(
                    verb,
                    Errno.EINVAL,
                    context.device().name() + " id",
                    parameters.privateData().length + " bytes of private data, at most " + most + " fit");
        }
    }

    @Override
    public void disconnect() {
        final NullCmId peer = other;
        other = null;
        if (qp != null) {
            qp.enter(QpState.ERR);
        }
        if (peer != null && !closed) {
            channel.raise(CmEventType.DISCONNECTED, this, null, 0, NOTHING);
        }
        if (peer != null && !peer.closed) {
            peer.disconnect();
        }
    }

    @Override
    public void close() {
        if (!closed) {
            closed = true;
            NullFabric.unlisten(this);
            disconnect();
            destroyQp();
        }
    }
}
