package io.vhca.bond.verbs;

import io.vhca.api.NativeMemory;
import io.vhca.api.WcDescriptor;
import io.vhca.api.WcStatus;
import io.vhca.bond.queue.VirtualCompletion;
import io.vhca.bond.queue.VirtualRecvQueue;
import io.vhca.bond.queue.VirtualSendQueue;
import io.vhca.bond.wire.PhysicalWrId;
import io.vhca.recovery.wire.FailureReason;

/**
 * Turns what the physical QPs of connected vQPs complete into virtual completions, or notes what it tells: that a path
 * failed, that a queue is drained, that the application erred. Inside the gate of the CQ that it completes to.
 *
 * <p>Holds nothing: the CQ lends what it polls with, so that a completion costs no step more.
 */
final class ConnectedCompletions {
    private ConnectedCompletions() {}

    /** Turns a physical completion into a virtual one; false when the application must not see it. */
    static boolean translate(final QpTable qps, final SharedQueues shared, final long wc) {
        final long wrId = NativeMemory.getLong(wc + WcDescriptor.WR_ID_OFFSET);
        final BondQueuePair qp = qps.at(PhysicalWrId.qpIndex(wrId));
        if (qp == null || !qp.isIncarnation(PhysicalWrId.incarnation(wrId))) {
            return qp == null && shared.translate(wc, wrId);
        }
        if (NativeMemory.getInt(wc + WcDescriptor.STATUS_OFFSET) != 0) {
            return translateError(qp, wc, wrId);
        }
        final long sequence;
        if (PhysicalWrId.kind(wrId) == PhysicalWrId.KIND_SEND) {
            final VirtualSendQueue sq = qp.sendQueue();
            sequence = sq.sequenceOf(wrId);
            if (sq.isHoldingBack()) {
                sq.holdBackThrough(sequence);
                qp.onHeldBack();
                return false;
            }
            // The slot is read before it is given back: another thread may post into it at once.
            final boolean isSignaled = sq.slots().isSignaled(sequence);
            NativeMemory.putLong(wc + WcDescriptor.WR_ID_OFFSET, sq.slots().wrId(sequence));
            if (sq.mayBePlaceholder(sequence)) {
                final int opcode = sq.slots().opcode(sequence);
                NativeMemory.putInt(wc + WcDescriptor.OPCODE_OFFSET, VirtualCompletion.opcodeOf(opcode));
            }
            sq.retireThrough(sequence);
            if (sq.hasBacklog()) {
                sq.pumpIfIdle();
            }
            if (!isSignaled) {
                return false;
            }
        } else if (PhysicalWrId.kind(wrId) == PhysicalWrId.KIND_RECV) {
            final VirtualRecvQueue rq = qp.recvQueue();
            sequence = rq.sequenceOf(wrId);
            NativeMemory.putLong(wc + WcDescriptor.WR_ID_OFFSET, rq.wrId(sequence));
            rq.retireThrough(sequence);
        } else {
            qp.own().onBack(PhysicalWrId.kind(wrId));
            return false;
        }
        NativeMemory.putInt(wc + WcDescriptor.QP_NUM_OFFSET, qp.qpNum());
        return true;
    }

    /** Judges a completion that is no success; true when the application must see it. */
    private static boolean translateError(final BondQueuePair qp, final long wc, final long wrId) {
        final int kind = PhysicalWrId.kind(wrId);
        final int status = NativeMemory.getInt(wc + WcDescriptor.STATUS_OFFSET);
        if (kind != PhysicalWrId.KIND_SEND && kind != PhysicalWrId.KIND_RECV) {
            qp.own().onError(kind, status);
            return false;
        }
        if (status == WcStatus.WR_FLUSH_ERR.code()) {
            qp.own().onFlushed(kind, wrId);
            return false;
        }
        final int vendorErr = NativeMemory.getInt(wc + WcDescriptor.VENDOR_ERR_OFFSET);
        final boolean isSend = kind == PhysicalWrId.KIND_SEND;
        final FailureReason reason = isSend
                ? qp.lifecycle().attachment().classifySend(status, vendorErr, qp.sendQueue().sequenceOf(wrId))
                : qp.lifecycle().attachment().classifyReceive(status, vendorErr);
        if (reason != FailureReason.NONE) {
            qp.notes().addPathFailure(reason);
            return false;
        }
        if (isSend) {
            // Earlier successes may be held back: the control thread hands out all of it in order.
            qp.onSendFailed(qp.sendQueue().sequenceOf(wrId), status, vendorErr);
            return false;
        }
        final VirtualRecvQueue rq = qp.recvQueue();
        final long sequence = rq.sequenceOf(wrId);
        NativeMemory.putLong(wc + WcDescriptor.WR_ID_OFFSET, rq.wrId(sequence));
        rq.retireThrough(sequence);
        NativeMemory.putInt(wc + WcDescriptor.QP_NUM_OFFSET, qp.qpNum());
        qp.onOwnError();
        return true;
    }
}
