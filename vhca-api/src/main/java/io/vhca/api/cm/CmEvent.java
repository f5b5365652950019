package io.vhca.api.cm;

import io.vhca.api.AhAttributes;
import io.vhca.api.Gid;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;

/**
 * A CM event ({@code struct rdma_cm_event}). Values stay valid after {@link #ack()}.
 */
public interface CmEvent {
    CmEventType type();

    /** The id it is about; for CONNECT_REQUEST the new one, which the receiver of the event owns. */
    CmId id();

    /** The listener of a CONNECT_REQUEST, else null. */
    @Nullable CmId listenId();

    /** 0, a negative errno, or the reject reason of a REJECTED (28: the consumer's own, private data applies). */
    int status();

    /** Private data that came along, empty where none; padded by zeros to the message's size, as rdma_cm does. */
    byte[] privateData();

    /** The peer's connection parameters (CONNECT_REQUEST, ESTABLISHED), without private data. */
    ConnectParameters parameters();

    /**
     * Of an ESTABLISHED on an id of RDMA_PS_UDP, what an address handle for the peer is made of; the peer's QP number
     * and Q_Key are in {@link #parameters()} ({@code rdma_ud_param}, rdma_get_cm_event(3)). Null for any other event.
     */
    default @Nullable AhAttributes ahAttributes() {
        final InetSocketAddress peer = id().peerAddress();
        return type() != CmEventType.ESTABLISHED || id().portSpace() != CmPortSpace.UDP || peer == null
                ? null
                : new AhAttributes(Gid.of(peer.getAddress()), id().context().ipGidIndex(1), 0, 0, 1);
    }

    /**
     * Acknowledges the event ({@code rdma_ack_cm_event}). Closing an id does not wait for it here, as it does in C.
     */
    void ack();
}
