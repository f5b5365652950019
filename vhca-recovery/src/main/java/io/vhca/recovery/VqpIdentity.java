package io.vhca.recovery;

import io.vhca.recovery.wire.FailureReason;
import io.vhca.recovery.wire.ReceiverCounts;
import io.vhca.recovery.wire.RecordType;
import io.vhca.recovery.wire.RecoveryReply;
import io.vhca.recovery.wire.RecoveryRequest;
import io.vhca.recovery.wire.SessionId;

/**
 * The vQP that a recovery machine belongs to, and its peer.
 *
 * @param bond name of the bond, for the journal
 * @param session the session that both sides know
 * @param vQpNum our vQPN
 * @param remoteQpNum the peer's vQPN
 * @param side 0 for the initiator of the first connect, 1 for the responder; the tie-break of simultaneous attempts
 */
public record VqpIdentity(String bond, SessionId session, int vQpNum, int remoteQpNum, int side) {
    /** Throws IllegalArgumentException for a side that is neither 0 nor 1. */
    public VqpIdentity {
        if (side != 0 && side != 1) {
            throw new IllegalArgumentException("side must be 0 or 1, not " + side);
        }
    }

    /** What the journal shows of the session. */
    int sessionTag() {
        return session.tag();
    }

    /** Whether a REQ is for this vQP, and of its peer. */
    boolean isAskedBy(final RecoveryRequest request) {
        return request.session().equals(session) && request.targetQpNum() == vQpNum
                && request.senderQpNum() == remoteQpNum;
    }

    /** Whether a REP is for this vQP, and of its peer. */
    boolean isAnsweredBy(final RecoveryReply reply) {
        return reply.session().equals(session) && reply.vQpNum() == remoteQpNum;
    }

    /** What a REQ of this vQP says, but for how long it waits for the answer. */
    RecoveryRequest request(
            final RecordType type, final FailureReason reason, final int epoch, final ReceiverCounts counts) {
        return new RecoveryRequest(type, reason, session, vQpNum, remoteQpNum, epoch, 0, counts);
    }

    /** What a REP of this vQP says. */
    RecoveryReply reply(final int epoch, final ReceiverCounts counts) {
        return new RecoveryReply(session, vQpNum, epoch, counts);
    }
}
