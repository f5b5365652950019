package io.vhca.api;

import org.jspecify.annotations.Nullable;

/**
 * What a QP is created with ({@code struct ibv_qp_init_attr}).
 *
 * <p>{@code singleThreaded} is the application's word that one thread at a time posts to the QP, as that of a thread
 * domain is ({@code ibv_alloc_td}): a device may leave out what keeps threads apart. The application may pass the QP
 * from one thread to another by what orders memory, as a lock or a queue does. Control calls, and the other queues of
 * the QP's, are not meant; any thread may make them meanwhile. What two threads do that post at once is undefined:
 * requests may get lost, or be executed twice. A bond finds two that meet where assertions are on ({@code -ea}). A
 * device that has no use for it takes no notice.
 *
 * @param sqSigAll       every send generates a completion, whatever its flags
 * @param singleThreaded one thread at a time calls postSend, and one postRecv
 */
public record QpInitAttributes(
        CompletionQueue sendCq,
        CompletionQueue recvCq,
        @Nullable SharedReceiveQueue srq,
        QpCapabilities cap,
        QpType qpType,
        boolean sqSigAll,
        boolean singleThreaded) {
    /** A QP to which any thread may post at any time. */
    public QpInitAttributes(
            final CompletionQueue sendCq, final CompletionQueue recvCq, final @Nullable SharedReceiveQueue srq,
            final QpCapabilities cap, final QpType qpType, final boolean sqSigAll) {
        this(sendCq, recvCq, srq, cap, qpType, sqSigAll, false);
    }

    /** An RC QP without SRQ whose sends are signaled by flag. */
    public static QpInitAttributes rc(
            final CompletionQueue sendCq, final CompletionQueue recvCq, final QpCapabilities cap) {
        return new QpInitAttributes(sendCq, recvCq, null, cap, QpType.RC, false);
    }

    /** The same, to which one thread at a time posts. */
    public QpInitAttributes forOneThread() {
        return new QpInitAttributes(sendCq, recvCq, srq, cap, qpType, sqSigAll, true);
    }
}
