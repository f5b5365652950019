package io.vhca.api.cm;

import org.jspecify.annotations.Nullable;

/** An event channel ({@code struct rdma_event_channel}). Any thread. */
public interface CmEventChannel extends AutoCloseable {
    /**
     * A communication identifier for RC connections, RDMA_PS_TCP ({@code rdma_create_id}).
     *
     * @param context given back by {@link CmId#idContext()}
     */
    CmId createId(CmPortSpace portSpace, @Nullable Object context);

    /**
     * The next event ({@code rdma_get_cm_event}). The caller acknowledges it by {@link CmEvent#ack()}.
     *
     * @param timeoutNs how long to wait: 0 not at all, {@link Long#MAX_VALUE} without end
     * @return null when there was none in that time, or when the channel is closed meanwhile
     */
    @Nullable CmEvent getEvent(long timeoutNs);

    /** Destroys the channel ({@code rdma_destroy_event_channel}). Idempotent; EBUSY while ids use it. */
    @Override
    void close();
}
