package io.vhca.api;

import org.jspecify.annotations.Nullable;

/** A completion channel ({@code struct ibv_comp_channel}): blocks until an armed CQ has a completion. Any thread. */
public interface CompletionChannel extends AutoCloseable {
    Context context();

    /**
     * The CQ of the next completion event ({@code ibv_get_cq_event}); it counts as acknowledged at once.
     *
     * @param timeoutNs how long to wait: 0 not at all, {@link Long#MAX_VALUE} without end
     * @return null when there was none in that time, when {@link #wakeUp} was called, when the channel is closed
     *     meanwhile, or when the thread is interrupted, which it still is then
     */
    @Nullable CompletionQueue getCqEvent(long timeoutNs);

    /**
     * Wakes a thread that waits in {@link #getCqEvent}, which answers null at once; where none waits, the next one that
     * would. Several calls before that are one. It is to completions what {@link java.nio.channels.Selector#wakeup} is
     * to channels: a thread that waits for a completion waits for another thread's word as well. Where several threads
     * wait, one of them is woken. (In C, a descriptor of the program's own in the poll(2) beside the channel's.)
     */
    void wakeUp();

    /**
     * Who is told once when an event comes that {@link #getCqEvent} gives, in place of who was told before; null for
     * nobody. So one thread waits on several channels: it asks each, looks at each, and waits on one, from which who is
     * told wakes it. (In C, all their descriptors in one poll(2).) Where events are there already, it is told at once.
     *
     * @param listener called by a thread of the device's, or of the caller's; it must not wait. May be told more often
     * @return false for a channel that tells nobody: its events are to be looked for
     */
    default boolean onEvent(final @Nullable Runnable listener) {
        return false;
    }

    /** Destroys the channel ({@code ibv_destroy_comp_channel}). Idempotent; EBUSY while CQs use it. */
    @Override
    void close();
}
