package io.vhca.api;

import org.jspecify.annotations.Nullable;

/**
 * What a QP is created with ({@code struct ibv_qp_init_attr}).
 *
 * @param sqSigAll every send generates a completion, whatever its flags
 */
public record QpInitAttributes(
        CompletionQueue sendCq,
        CompletionQueue recvCq,
        @Nullable SharedReceiveQueue srq,
        QpCapabilities cap,
        QpType qpType,
        boolean sqSigAll) {
    /** An RC QP without SRQ whose sends are signaled by flag. */
    public static QpInitAttributes rc(
            final CompletionQueue sendCq, final CompletionQueue recvCq, final QpCapabilities cap) {
        return new QpInitAttributes(sendCq, recvCq, null, cap, QpType.RC, false);
    }
}
