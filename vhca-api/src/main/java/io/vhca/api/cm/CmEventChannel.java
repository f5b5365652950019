package io.vhca.api.cm;

import org.jspecify.annotations.Nullable;

/** An event channel ({@code struct rdma_event_channel}). Any thread. */
public interface CmEventChannel extends AutoCloseable {
    /**
     * A communication identifier ({@code rdma_create_id}).
     *
     * @param portSpace RDMA_PS_TCP for RC connections, RDMA_PS_UDP for services of datagrams
     * @param context given back by {@link CmId#idContext()}
     */
    CmId createId(CmPortSpace portSpace, @Nullable Object context);

    /**
     * The next event ({@code rdma_get_cm_event}). The caller acknowledges it by {@link CmEvent#ack()}.
     *
     * @param timeoutNs how long to wait: 0 not at all, {@link Long#MAX_VALUE} without end
     * @return null when there was none in that time, when the channel is closed meanwhile, or when the thread is
     *     interrupted, which it still is then
     */
    @Nullable CmEvent getEvent(long timeoutNs);

    /**
     * Who is told once when an event comes that {@link #getEvent} gives, in place of who was told before; null for
     * nobody. It is to events what {@link io.vhca.api.CompletionQueue#reqNotify} is to completions, and what poll(2) on
     * the channel's {@code fd} is to a program whose one thread does much else: who was told takes all that there is,
     * and asks again. Where events are there already, it is told at once.
     *
     * @param listener called by a thread of the device's, or of the caller's; it must not wait. May be told more often
     * @return false for a channel that tells nobody: its events are to be looked for
     */
    default boolean onEvent(final @Nullable Runnable listener) {
        return false;
    }

    /** Destroys the channel ({@code rdma_destroy_event_channel}). Idempotent; EBUSY while ids use it. */
    @Override
    void close();
}
