package io.vhca.physical.soft.cm;

import io.vhca.api.cm.CmEventType;
import io.vhca.api.cm.CmPortSpace;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;

/** Finds the listener of a request and announces it there. Guarded by the lock of the {@link CommunicationManager}. */
final class RequestReader {
    private final CommunicationManager manager;

    RequestReader(final CommunicationManager manager) {
        this.manager = manager;
    }

    /** The id that listens where the request is addressed to, or null. */
    @Nullable SoftCmId listener(final CmMessage message) {
        final CmPortSpace space = message.type() == ConnInput.SIDR_REQ ? CmPortSpace.UDP : CmPortSpace.TCP;
        if (!ServiceId.isOf(space, message.serviceId())) {
            return null;
        }
        final SoftCmId owner = manager.ports().owner(space, ServiceId.port(message.serviceId()));
        return owner != null && owner.state == CmIdState.LISTENING ? owner : null;
    }

    /** Makes the id of a request and raises CONNECT_REQUEST at its listener. */
    void announce(final SoftCmId listener, final Connection connection, final CmMessage message) {
        final SoftCmId id = manager.register(
                new SoftCmId(manager, listener.channel, listener.portSpace(), listener.idContext()));
        connection.id = id;
        final int port = ServiceId.port(message.serviceId());
        id.becomeRequest(
                listener,
                connection,
                new InetSocketAddress(manager.inetAddress(), port),
                new InetSocketAddress(connection.peer.address(), message.sourcePort()));
        listener.channel.put(new SoftCmEvent(
                CmEventType.CONNECT_REQUEST,
                id,
                listener,
                0,
                message.privateData(),
                CmMessage.peerParameters(connection)));
    }
}
