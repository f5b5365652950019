package io.vhca.api.cm;

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
     * Acknowledges the event ({@code rdma_ack_cm_event}). Closing an id waits until all its events are acknowledged.
     */
    void ack();
}
