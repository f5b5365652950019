package io.vhca.api;

import org.jspecify.annotations.Nullable;

/** A completion channel ({@code struct ibv_comp_channel}): blocks until an armed CQ has a completion. Any thread. */
public interface CompletionChannel extends AutoCloseable {
    Context context();

    /**
     * The CQ of the next completion event ({@code ibv_get_cq_event}); it counts as acknowledged at once.
     *
     * @param timeoutNs how long to wait: 0 not at all, {@link Long#MAX_VALUE} without end
     * @return null when there was none in that time, or when the channel is closed meanwhile
     */
    @Nullable CompletionQueue getCqEvent(long timeoutNs);

    /** Destroys the channel ({@code ibv_destroy_comp_channel}). Idempotent; EBUSY while CQs use it. */
    @Override
    void close();
}
