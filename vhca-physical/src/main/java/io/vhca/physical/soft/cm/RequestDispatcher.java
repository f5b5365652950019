package io.vhca.physical.soft.cm;

import io.vhca.api.Gid;
import io.vhca.api.cm.CmEventType;
import io.vhca.api.cm.CmPortSpace;
import io.vhca.physical.soft.cm.message.CmMessage;
import io.vhca.physical.soft.cm.message.CmMessages;
import io.vhca.physical.soft.cm.message.ConnInput;
import io.vhca.physical.soft.cm.message.RejDescriptor;
import io.vhca.physical.soft.cm.message.RejectReason;
import io.vhca.physical.soft.cm.message.ServiceId;
import io.vhca.physical.soft.cm.message.SidrRepDescriptor;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;

/**
 * Finds the listener of a request and announces the request there, or refuses it. Guarded by the lock of the
 * {@link CommunicationManager}.
 */
final class RequestDispatcher {
    private static final byte[] NOTHING = new byte[0];

    private final CommunicationManager manager;
    private final CmHost host;

    RequestDispatcher(final CommunicationManager manager, final CmHost host) {
        this.manager = manager;
        this.host = host;
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
                connection.peerParameters()));
    }

    /** Refuses a request and keeps nothing of it: a repeated request gets the same answer again. */
    void refuse(final Gid source, final CmMessage message, final int reason) {
        host.sendMad(
                source,
                message.type() == ConnInput.SIDR_REQ
                        ? CmMessages.sidrRep(
                                message.answerIds(0),
                                SidrRepDescriptor.STATUS_UNSUPPORTED,
                                0,
                                0,
                                message.serviceId(),
                                NOTHING)
                        : CmMessages.rej(
                                message.answerIds(0),
                                RejDescriptor.MESSAGE_REQ,
                                reason,
                                NOTHING));
    }

    /** Answers a message for a connection that is not known here, where an answer helps its sender on. */
    void answerUnknown(final Gid source, final CmMessage message) {
        if (message.type() == ConnInput.DREQ) {
            host.sendMad(
                    source, CmMessages.drep(message.answerIds(message.remoteCommId())));
        } else if (message.type() == ConnInput.REP || message.type() == ConnInput.RTU) {
            host.sendMad(
                    source,
                    CmMessages.rej(
                            message.answerIds(message.remoteCommId()),
                            message.type() == ConnInput.REP ? RejDescriptor.MESSAGE_REP : RejDescriptor.MESSAGE_OTHER,
                            RejectReason.INVALID_COMM_ID,
                            NOTHING));
        }
    }
}
