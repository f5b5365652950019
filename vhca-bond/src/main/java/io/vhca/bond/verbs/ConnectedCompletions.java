package io.vhca.bond.verbs;

import io.vhca.api.NativeMemory;
import io.vhca.api.WcDescriptor;
import io.vhca.api.WcStatus;
import io.vhca.bond.queue.SendSlots;
import io.vhca.bond.queue.VirtualCompletion;
import io.vhca.bond.queue.VirtualRecvQueue;
import io.vhca.bond.queue.VirtualSendQueue;
import io.vhca.bond.wire.PhysicalWrId;
import io.vhca.recovery.wire.FailureReason;
import org.jspecify.annotations.Nullable;

/**
 * Turns what the physical QPs of connected vQPs complete into virtual completions, or notes what it tells: that a path
 * failed, that a queue is drained, that the application erred. Inside the gate of the CQ that it completes to.
 *
 * <p>Holds nothing: the CQ lends what it polls with, so that a completion costs no step more.
 */
final class ConnectedCompletions {
    private ConnectedCompletions() {}

    /**
     * Turns the first of some completions into virtual ones, as long as each is the success of a send of one queue that
     * the application asked to be told of: they are given back at once. How many; for the next one, {@link #translate}.
     */
    static int translateSends(final QpTable qps, final long first, final int count) {
        final long firstWrId = NativeMemory.getLong(first + WcDescriptor.WR_ID_OFFSET);
        final BondQueuePair qp = qps.at(PhysicalWrId.qpIndex(firstWrId));
        if (qp == null || PhysicalWrId.kind(firstWrId) != PhysicalWrId.KIND_SEND) {
            return 0;
        }
        final VirtualSendQueue sq = qp.sendQueue();
        final long from = sq.retired();
        if (sq.isHoldingBack() || sq.mayBePlaceholder(from)) {
            return 0;
        }
        final SendSlots slots = sq.slots();
        final long prefix = qp.sendPrefix();
        final int qpNum = qp.qpNum();
        long end = 0;
        int done = 0;
        for (; done < count; done++) {
            final long wc = first + (long) done * WcDescriptor.SIZE;
            final long wrId = NativeMemory.getLong(wc + WcDescriptor.WR_ID_OFFSET);
            final long sequence = PhysicalWrId.sequence(wrId, from);
            if (!PhysicalWrId.isOf(wrId, prefix)
                    || NativeMemory.getInt(wc + WcDescriptor.STATUS_OFFSET) != 0
                    || !slots.isSignaled(sequence)) {
                break;
            }
            NativeMemory.putLong(wc + WcDescriptor.WR_ID_OFFSET, slots.wrId(sequence));
            NativeMemory.putInt(wc + WcDescriptor.QP_NUM_OFFSET, qpNum);
            end = sequence;
        }
        if (done != 0) {
            retire(sq, end);
        }
        return done;
    }

    /** Gives slots back, which are read no more: another thread may post into them at once. */
    private static void retire(final VirtualSendQueue sq, final long sequence) {
        sq.retireThrough(sequence);
        if (sq.hasBacklog()) {
            sq.pumpIfIdle();
        }
    }

    /** Turns a physical completion into a virtual one; false when the application must not see it. */
    static boolean translate(final QpTable qps, final SharedQueues shared, final long wc) {
        final long wrId = NativeMemory.getLong(wc + WcDescriptor.WR_ID_OFFSET);
        final BondQueuePair qp = qps.at(PhysicalWrId.qpIndex(wrId));
        if (qp != null
                && PhysicalWrId.isOf(wrId, qp.sendPrefix())
                && NativeMemory.getInt(wc + WcDescriptor.STATUS_OFFSET) == 0) {
            return completeSend(qp, wc, wrId);
        }
        return translateOther(qp, shared, wc, wrId);
    }

    /** The success of a send. */
    private static boolean completeSend(final BondQueuePair qp, final long wc, final long wrId) {
        final VirtualSendQueue sq = qp.sendQueue();
        final long sequence = sq.sequenceOf(wrId);
        if (sq.isHoldingBack()) {
            sq.holdBackThrough(sequence);
            qp.onHeldBack();
            return false;
        }
        final boolean isSignaled = sq.slots().isSignaled(sequence);
        NativeMemory.putLong(wc + WcDescriptor.WR_ID_OFFSET, sq.slots().wrId(sequence));
        NativeMemory.putInt(wc + WcDescriptor.QP_NUM_OFFSET, qp.qpNum());
        if (sq.mayBePlaceholder(sequence)) {
            final int opcode = sq.slots().opcode(sequence);
            NativeMemory.putInt(wc + WcDescriptor.OPCODE_OFFSET, VirtualCompletion.opcodeOf(opcode));
        }
        retire(sq, sequence);
        return isSignaled;
    }

    private static boolean translateOther(
            final @Nullable BondQueuePair qp, final SharedQueues shared, final long wc, final long wrId) {
        if (qp == null || !qp.isIncarnation(PhysicalWrId.incarnation(wrId))) {
            return qp == null && shared.translate(wc, wrId);
        }
        if (NativeMemory.getInt(wc + WcDescriptor.STATUS_OFFSET) != 0) {
            return translateError(qp, wc, wrId);
        }
        if (PhysicalWrId.kind(wrId) != PhysicalWrId.KIND_RECV) {
            qp.own().onBack(PhysicalWrId.kind(wrId));
            return false;
        }
        final VirtualRecvQueue rq = qp.recvQueue();
        final long sequence = rq.sequenceOf(wrId);
        NativeMemory.putLong(wc + WcDescriptor.WR_ID_OFFSET, rq.wrId(sequence));
        rq.retireThrough(sequence);
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
