package io.vhca.api;

import org.jspecify.annotations.Nullable;

/**
 * A queue pair ({@code struct ibv_qp}). Posting to it is thread-safe, as in verbs; requests posted by one thread keep
 * their order.
 */
public interface QueuePair extends AutoCloseable {
    ProtectionDomain pd();

    CompletionQueue sendCq();

    CompletionQueue recvCq();

    @Nullable SharedReceiveQueue srq();

    QpType qpType();

    /** QP number, 24 bits. */
    int qpNum();

    /** The state now. Hardware that may have moved by itself is asked, by a system call: not for the data path. */
    QpState state();

    /** The capabilities that were granted: at least those asked for. */
    QpCapabilities capabilities();

    /**
     * Changes attributes ({@code ibv_modify_qp}); {@link QpTransitions} judges the change.
     *
     * @throws VerbsException EINVAL for a move or an attribute set that the table does not allow; nothing is changed
     */
    void modify(QpAttributes attributes);

    /** All attributes as they are now ({@code ibv_query_qp}). */
    QpAttributes query();

    /**
     * Posts a chain of send work requests ({@code ibv_post_send}). Allocates nothing, never blocks.
     *
     * <p>As write(2) may write less than it was given, so this may post less than the chain: the first request refused
     * is then the {@code bad_wr} of the C interface, and posting it again tells why.
     *
     * @param wrAddress native address of a {@code struct ibv_send_wr} ({@link SendWrDescriptor})
     * @return how many were posted (all of the chain: success), or the negative {@link Errno} of the first request:
     *     -EINVAL wrong state or malformed request, -ENOMEM queue full, -EIO device dead, -EOPNOTSUPP opcode not
     *     carried
     */
    int postSend(long wrAddress);

    /** As {@link #postSend(long)}. */
    default int postSend(final SendWorkRequest wr) {
        return postSend(wr.address());
    }

    /**
     * Posts a chain of receive work requests ({@code ibv_post_recv}); legal from INIT on.
     *
     * @param wrAddress native address of a {@code struct ibv_recv_wr} ({@link RecvWrDescriptor})
     * @return as {@link #postSend(long)}
     */
    int postRecv(long wrAddress);

    /** As {@link #postRecv(long)}. */
    default int postRecv(final RecvWorkRequest wr) {
        return postRecv(wr.address());
    }

    /** Destroys the QP ({@code ibv_destroy_qp}); completions not polled yet are gone. Idempotent. */
    @Override
    void close();
}
