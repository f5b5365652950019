package io.vhca.bond.datagram;

import io.vhca.api.NativeMemory;
import io.vhca.api.WcDescriptor;
import io.vhca.api.WcStatus;
import io.vhca.bond.member.Member;
import io.vhca.bond.queue.VirtualRecvQueue;
import io.vhca.bond.verbs.CompletionTranslator;
import io.vhca.bond.wire.PhysicalWrId;
import io.vhca.recovery.FailureClass;
import io.vhca.recovery.FailureClassifier;
import io.vhca.recovery.wire.FailureReason;

/**
 * Turns what the physical queue pairs of vQPs for datagrams complete into virtual completions, or notes that one of
 * them failed. Inside the gate of a CQ.
 */
final class DatagramCompletions implements CompletionTranslator {
    private final Datagrams datagrams;

    DatagramCompletions(final Datagrams datagrams) {
        this.datagrams = datagrams;
    }

    @Override
    public boolean translate(final long wc, final long wrId) {
        final BondDatagramQp qp = datagrams.at(PhysicalWrId.qpIndex(wrId) - Datagrams.FIRST_INDEX);
        if (qp == null || !qp.isIncarnation(PhysicalWrId.incarnation(wrId))) {
            return false;
        }
        return switch (PhysicalWrId.kind(wrId)) {
            case PhysicalWrId.KIND_DATAGRAM_SEND -> translateSend(qp, wc, wrId);
            case PhysicalWrId.KIND_DATAGRAM_RECV -> translateReceive(qp, wc, wrId);
            default -> false;
        };
    }

    /** Turns the completion of a send into a virtual one; false when none must see it. Inside the CQ's gate. */
    private static boolean translateSend(final BondDatagramQp qp, final long wc, final long wrId) {
        final DatagramSendQueue sends = qp.sendQueue();
        final boolean isError = NativeMemory.getInt(wc + WcDescriptor.STATUS_OFFSET) != 0;
        final long sequence = sends.sequenceOf(wrId);
        if (isError && !isApplicationsOwnSend(qp, wc, sequence)) {
            return false;
        }
        final boolean isShown = isError || sends.slots().isSignaled(sequence);
        NativeMemory.putLong(wc + WcDescriptor.WR_ID_OFFSET, sends.slots().wrId(sequence));
        NativeMemory.putInt(wc + WcDescriptor.QP_NUM_OFFSET, qp.qpNum());
        sends.retireThrough(sequence);
        if (sends.hasBacklog()) {
            sends.pumpIfIdle();
        }
        return isShown;
    }

    /** As {@link #translateSend}, of a receive: the sender is named by its vQPN. */
    private static boolean translateReceive(final BondDatagramQp qp, final long wc, final long wrId) {
        if (NativeMemory.getInt(wc + WcDescriptor.STATUS_OFFSET) != 0 && !isApplicationsOwn(qp, wc, false)) {
            return false;
        }
        final VirtualRecvQueue receives = qp.recvQueue();
        final long sequence = receives.sequenceOf(wrId);
        if (NativeMemory.getInt(wc + WcDescriptor.STATUS_OFFSET) == 0) {
            // Of one that failed nobody knows whether its memory is there.
            final int source = NativeMemory.getInt(wc + WcDescriptor.SRC_QP_OFFSET);
            NativeMemory.putInt(
                    wc + WcDescriptor.SRC_QP_OFFSET,
                    qp.routes().sources().translate(receives.firstElement(sequence), source));
        }
        NativeMemory.putLong(wc + WcDescriptor.WR_ID_OFFSET, receives.wrId(sequence));
        NativeMemory.putInt(wc + WcDescriptor.QP_NUM_OFFSET, qp.qpNum());
        receives.retireThrough(sequence);
        return true;
    }

    /** Of a send, what does not say whose fault it is goes out again over other members: hardware did not send it. */
    private static boolean isApplicationsOwnSend(
            final BondDatagramQp qp, final long wc, final long sequence) {
        final WcStatus status = WcStatus.fromCode(NativeMemory.getInt(wc + WcDescriptor.STATUS_OFFSET));
        final int vendorErr = NativeMemory.getInt(wc + WcDescriptor.VENDOR_ERR_OFFSET);
        if (FailureClassifier.classify(status, vendorErr, false) != FailureClass.PASS_THROUGH
                && status != WcStatus.WR_FLUSH_ERR
                && qp.doubts().isWorthAnother(sequence)) {
            qp.sendQueue().sendAgainFrom(sequence);
            qp.notes().addPathFailure(FailureReason.LOCAL_QP_ERROR);
            return false;
        }
        return isApplicationsOwn(qp, wc, true);
    }

    /** Whether an error is for the application to see: nothing that comes of a dead member is. */
    private static boolean isApplicationsOwn(final BondDatagramQp qp, final long wc, final boolean isSend) {
        final int status = NativeMemory.getInt(wc + WcDescriptor.STATUS_OFFSET);
        final Member on = qp.home().member();
        if (status == WcStatus.WR_FLUSH_ERR.code()) {
            return false;
        }
        if (on == null || !on.isUp() || on.isGoingDown()) {
            qp.notes().addPathFailure(FailureReason.LOCAL_QP_ERROR);
            return false;
        }
        qp.onOwnError(
                isSend ? status : 0, isSend ? NativeMemory.getInt(wc + WcDescriptor.VENDOR_ERR_OFFSET) : 0);
        return true;
    }
}
