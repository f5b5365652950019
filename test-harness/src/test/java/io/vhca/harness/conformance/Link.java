package io.vhca.harness.conformance;

import io.vhca.api.QueuePair;
import io.vhca.api.cm.CmEventType;
import io.vhca.api.cm.CmId;
import io.vhca.api.cm.CmPortSpace;
import io.vhca.api.cm.ConnectParameters;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/** Two peers and the connections between them, made through the connection manager. */
final class Link implements AutoCloseable {
    /** How the connections are made. */
    record Options(boolean sqSigAll, int ackTimeout, int ownRnrRetry, ConnectParameters parameters) {
        static final Options DEFAULT = new Options(false, 14, -1, ConnectParameters.of(new byte[0]));

        static Options retries(final int ackTimeout, final int retryCount, final int rnrRetryCount) {
            return new Options(
                    false, ackTimeout, -1, new ConnectParameters(new byte[0], 4, 4, retryCount, rnrRetryCount, 0, 0));
        }

        /** The client says itself how often it tries again. */
        static Options ownRnrRetry(final int count) {
            return new Options(false, 14, count, ConnectParameters.of(new byte[0]));
        }
    }

    final Peer client;
    final Peer server;
    final CmId listener;
    private final Options options;
    private final List<CmId> ids = new ArrayList<>();
    /** The first connection's ends. */
    final CmId clientId;

    final CmId serverId;
    final QueuePair clientQp;
    final QueuePair serverQp;

    Link(final DevicePair devices) {
        this(devices, Options.DEFAULT);
    }

    Link(final DevicePair devices, final Options options) {
        this.options = options;
        client = new Peer(devices.openClient());
        server = new Peer(devices.openServer());
        listener = listen(server);
        final CmId[] ends = connect();
        clientId = ends[0];
        serverId = ends[1];
        clientQp = Peer.qp(clientId);
        serverQp = Peer.qp(serverId);
    }

    /** A listener on a port of its own choice. */
    static CmId listen(final Peer peer) {
        return listen(peer, CmPortSpace.TCP);
    }

    /** The same in another port space. */
    static CmId listen(final Peer peer, final CmPortSpace space) {
        final CmId id = peer.channel.createId(space, null);
        id.bindAddr(new InetSocketAddress(peer.context.ipGid(1).address(), 0));
        id.listen(64);
        return id;
    }

    static InetSocketAddress addressOf(final CmId id) {
        return Objects.requireNonNull(id.localAddress());
    }

    /** An id of the client that is ready to connect, with a QP. */
    static CmId resolve(final Peer client, final InetSocketAddress to, final Options options) {
        final CmId id = client.channel.createId(CmPortSpace.TCP, null);
        id.resolveAddr(null, to, 2000);
        client.event(CmEventType.ADDR_RESOLVED);
        id.resolveRoute(2000);
        client.event(CmEventType.ROUTE_RESOLVED);
        id.ackTimeout(options.ackTimeout());
        if (options.ownRnrRetry() >= 0) {
            id.rnrRetry(options.ownRnrRetry());
        }
        id.createQp(client.pd, client.qpAttributes(options.sqSigAll()));
        return id;
    }

    /** One more connection: the client's id and the server's. */
    CmId[] connect() {
        final CmId active = resolve(client, addressOf(listener), options);
        ids.add(active);
        active.connect(options.parameters());
        final CmId passive = server.event(CmEventType.CONNECT_REQUEST).id();
        ids.add(passive);
        passive.createQp(server.pd, server.qpAttributes(options.sqSigAll()));
        passive.accept(options.parameters());
        client.event(CmEventType.ESTABLISHED);
        server.event(CmEventType.ESTABLISHED);
        return new CmId[] {active, passive};
    }

    @Override
    public void close() {
        for (final CmId id : ids) {
            id.close();
        }
        listener.close();
        client.close();
        server.close();
    }
}
