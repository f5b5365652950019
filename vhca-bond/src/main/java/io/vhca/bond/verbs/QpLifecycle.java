package io.vhca.bond.verbs;

import io.vhca.api.QpAttributes;
import io.vhca.api.QueuePair;
import io.vhca.bond.link.PathLink;
import io.vhca.bond.member.Member;
import io.vhca.recovery.wire.FailureReason;
import org.jspecify.annotations.Nullable;

/**
 * How a vQP comes to be connected, is recovered and ends: what the vQP asks of the layer above it. Control lock,
 * but for what classifies.
 */
public interface QpLifecycle {
    /** The physical queue pair under the vQP. */
    Attached attachment();

    /** How it comes to be connected when modifyQp alone brings it up. */
    OutOfBand outOfBand();

    /** The vQPN of the peer, 0 while there is none. */
    int peerQpNum();

    /** To SQD: looks until the hardware has completed all that it was given. */
    void beginSendDrain(boolean isNotified);

    /** The vQP goes on from SQD, or is over. Idempotent. */
    void endSendDrain();

    /** To ERR or RESET. */
    void onApplicationAbort();

    /** Ready to be brought up again, after a move to RESET. */
    void reset();

    /** The QP is being destroyed; the peer's bond, when it asks, learns that the session is closed. */
    void close();

    /**
     * True unless it is being connected, or answers: then it stays where it is.
     *
     * @param to where its peer must be reached from as well; null for wherever that is
     */
    boolean isMovable(@Nullable Member to, long nowNs);

    /** Moves to another member as planned; nothing happens where it is being recovered already. */
    void follow(Member to, long nowNs);

    /** The physical queue pair in use. */
    interface Attached {
        /** Null while there is none. */
        @Nullable QueuePair physical();

        /**
         * How a send's completion status is to be taken: NONE for the application's own, else the reason of the path
         * failure. Inside the send CQ's gate.
         */
        FailureReason classifySend(int status, int vendorErr, long sequence);

        /** The same for a receive, inside the receive CQ's gate. */
        FailureReason classifyReceive(int status, int vendorErr);

        /** Whether the peer has no bond: then it stays on this member, and ends with it. */
        boolean isPlain();

        /** What stands by for the next failover is in the way: it is closed, and another one made by and by. */
        void giveUpStandby();

        /** It is about to be destroyed with its device: takes what came, and posts nothing more. */
        void letGo(PathLink gone);
    }

    /** What modifyQp says of the peer. */
    interface OutOfBand {
        /** Refuses a move to RTR that names this very queue pair: the connection manager connects two. */
        void requireOther(QpAttributes toRtr);

        /** The application said who the peer is, by a move to RTR. */
        void onReadyToReceive(QpAttributes told);

        /** And to RTS: this side asks, unless the peer has done so. */
        void onReadyToSend(QpAttributes told);

        /** The vQP in SQD has another rnr_retry from now on, which no physical queue pair that it has can be given. */
        void onRnrRetryChanged();
    }
}
