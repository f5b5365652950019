package io.vhca.api;

import org.jspecify.annotations.Nullable;

/** A completion queue ({@code struct ibv_cq}). Polling is thread-safe, as in verbs. */
public interface CompletionQueue extends AutoCloseable {
    Context context();

    /** The object given at creation. */
    @Nullable Object cqContext();

    @Nullable CompletionChannel channel();

    /** How many completions it holds. */
    int cqe();

    /**
     * Takes completions off the queue ({@code ibv_poll_cq}). Allocates nothing, never blocks.
     *
     * @param wcAddress  native address of an array of {@code struct ibv_wc} ({@link WcDescriptor})
     * @param maxEntries how many fit there
     * @return how many were written, or a negative {@link Errno}: -EIO on a CQ in error
     */
    int poll(long wcAddress, int maxEntries);

    /** Completions that wait to be polled, as seen in passing; -1 where the device does not tell. Any thread. */
    default int pending() {
        return -1;
    }

    /** As {@link #poll(long, int)}, into all of {@code wc}. */
    default int poll(final WorkCompletion wc) {
        return poll(wc.address(), wc.capacity());
    }

    /**
     * Asks for one event on the channel at the next completion ({@code ibv_req_notify_cq}). To lose no wake-up: arm,
     * then poll once more, then wait.
     *
     * @param solicitedOnly only for solicited receives and errors
     */
    void reqNotify(boolean solicitedOnly);

    /** Changes the capacity ({@code ibv_resize_cq}); EINVAL when more completions are outstanding than would fit. */
    void resize(int cqe);

    /**
     * Destroys the queue ({@code ibv_destroy_cq}). Idempotent.
     *
     * @throws VerbsException EBUSY when QPs or SRQs still use it
     */
    @Override
    void close();
}
