package io.vhca.api;

/** A shared receive queue ({@code struct ibv_srq}). Posting to it is thread-safe. */
public interface SharedReceiveQueue extends AutoCloseable {
    ProtectionDomain pd();

    /** Sets the limit below which one SRQ_LIMIT_REACHED event is raised ({@code ibv_modify_srq}, IBV_SRQ_LIMIT). */
    void armLimit(int limit);

    /** The attributes now ({@code ibv_query_srq}). */
    SrqAttributes query();

    /** Posts a chain of receives ({@code ibv_post_srq_recv}); result as {@link QueuePair#postRecv(long)}. */
    int postRecv(long wrAddress);

    /** As {@link #postRecv(long)}. */
    default int postRecv(final RecvWorkRequest wr) {
        return postRecv(wr.address());
    }

    /** Destroys the queue ({@code ibv_destroy_srq}). Idempotent; EBUSY while QPs use it. */
    @Override
    void close();
}
