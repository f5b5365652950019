package io.vhca.physical.soft.cm;

import io.vhca.api.AccessFlags;
import io.vhca.api.QpAttributes;
import io.vhca.api.QpState;
import io.vhca.api.QpType;
import io.vhca.api.QueuePair;
import io.vhca.api.VerbsException;
import io.vhca.api.cm.ConnectParameters;

/** Moves the QP of an id through its states, with what a connection agreed on. */
final class QpBringUp {
    /** 0.64 ms: a receiver that is not ready says: come back that much later. */
    private static final int MIN_RNR_TIMER_CODE = 12;

    private QpBringUp() {}

    /** A fresh QP to INIT; a UD QP all the way to RTS. */
    static void init(final QueuePair qp, final int sendPsn) {
        final QpAttributes attributes =
                new QpAttributes().qpState(QpState.INIT).pkeyIndex(0).portNum(1);
        if (qp.qpType() == QpType.UD) {
            qp.modify(attributes.qkey(ConnectParameters.UDP_QKEY));
            qp.modify(new QpAttributes().qpState(QpState.RTR));
            qp.modify(new QpAttributes().qpState(QpState.RTS).sqPsn(sendPsn));
            return;
        }
        qp.modify(attributes.accessFlags(
                AccessFlags.LOCAL_WRITE
                        | AccessFlags.REMOTE_WRITE
                        | AccessFlags.REMOTE_READ
                        | AccessFlags.REMOTE_ATOMIC));
    }

    /**
     * INIT to RTR to RTS.
     *
     * @param responderResources READs and atomics that the peer may have outstanding here
     * @param initiatorDepth     READs and atomics that may be outstanding at the peer
     * @param id                 whose queue pair it is, and what its owner wants for it
     */
    static void connect(
            final QueuePair qp,
            final Connection connection,
            final int responderResources,
            final int initiatorDepth,
            final int ackTimeout,
            final int retryCount,
            final SoftCmId id) {
        qp.modify(new QpAttributes()
                .qpState(QpState.RTR)
                .ah(id.serviceClass().to(connection.peer, connection.sgidIndex, 1))
                .pathMtu(connection.mtu)
                .destQpNum(connection.remoteQpn)
                .rqPsn(connection.receivePsn)
                .maxDestRdAtomic(responderResources)
                .minRnrTimer(MIN_RNR_TIMER_CODE));
        qp.modify(new QpAttributes()
                .qpState(QpState.RTS)
                .timeout(ackTimeout)
                .retryCnt(retryCount)
                .rnrRetry(id.rnrRetry >= 0 ? id.rnrRetry : connection.peerRnrRetryCount)
                .sqPsn(connection.sendPsn)
                .maxRdAtomic(initiatorDepth));
    }

    /** To ERR, so that everything posted is flushed; a dead or destroyed QP stays as it is. */
    static void fail(final QueuePair qp) {
        try {
            qp.modify(new QpAttributes().qpState(QpState.ERR));
        } catch (final VerbsException e) {
            // The QP is gone or its device is dead: then it was flushed already.
        }
    }
}
