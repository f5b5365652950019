package io.vhca.api;

import org.jspecify.annotations.Nullable;

/**
 * An asynchronous event ({@code struct ibv_async_event}).
 *
 * @param qp      the QP it is about, for QP events
 * @param cq      the CQ it is about, for CQ_ERR
 * @param srq     the SRQ it is about, for SRQ events
 * @param portNum the port it is about, 0 where it is about none
 */
public record AsyncEvent(
        AsyncEventType type,
        @Nullable QueuePair qp,
        @Nullable CompletionQueue cq,
        @Nullable SharedReceiveQueue srq,
        int portNum) {
    public static AsyncEvent ofDevice(final AsyncEventType type) {
        return new AsyncEvent(type, null, null, null, 0);
    }

    public static AsyncEvent ofPort(final AsyncEventType type, final int portNum) {
        return new AsyncEvent(type, null, null, null, portNum);
    }

    public static AsyncEvent ofQp(final AsyncEventType type, final QueuePair qp) {
        return new AsyncEvent(type, qp, null, null, 0);
    }

    public static AsyncEvent ofCq(final AsyncEventType type, final CompletionQueue cq) {
        return new AsyncEvent(type, null, cq, null, 0);
    }

    public static AsyncEvent ofSrq(final AsyncEventType type, final SharedReceiveQueue srq) {
        return new AsyncEvent(type, null, null, srq, 0);
    }

    /** True when it is about that object. */
    public boolean isOf(final Object object) {
        return qp == object || cq == object || srq == object;
    }
}
