package io.vhca.recovery;

import org.jspecify.annotations.Nullable;

/** A fact on its way into the machine, with whatever it brings; the fields that its kind does not use are null or 0. */
record ToldFact(
        RecoveryFact kind,
        long nowNs,
        FailureReason reason,
        long first,
        long second,
        @Nullable SessionRecord request,
        @Nullable ReplyRecord reply,
        @Nullable RejectRecord reject,
        PathId path) {

    static ToldFact of(final RecoveryFact kind, final long nowNs) {
        return numbers(kind, nowNs, 0, 0);
    }

    static ToldFact numbers(final RecoveryFact kind, final long nowNs, final long first, final long second) {
        return new ToldFact(kind, nowNs, FailureReason.NONE, first, second, null, null, null, PathId.NONE);
    }

    static ToldFact failure(final FailureReason reason, final long nowNs) {
        return new ToldFact(RecoveryFact.PATH_FAILURE, nowNs, reason, 0, 0, null, null, null, PathId.NONE);
    }

    static ToldFact request(final SessionRecord request, final long token, final PathId path, final long nowNs) {
        return new ToldFact(RecoveryFact.REQUEST, nowNs, FailureReason.NONE, token, 0, request, null, null, path);
    }

    static ToldFact reply(final ReplyRecord reply, final long nowNs) {
        return new ToldFact(RecoveryFact.REPLY, nowNs, FailureReason.NONE, 0, 0, null, reply, null, PathId.NONE);
    }

    static ToldFact rejected(final @Nullable RejectRecord reject, final long nowNs) {
        return new ToldFact(RecoveryFact.REJECTED, nowNs, FailureReason.NONE, 0, 0, null, null, reject, PathId.NONE);
    }
}
