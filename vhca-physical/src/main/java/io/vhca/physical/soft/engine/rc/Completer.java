package io.vhca.physical.soft.engine.rc;

import io.vhca.api.AccessFlags;
import io.vhca.api.DeviceStep;
import io.vhca.api.NativeMemory;
import io.vhca.api.QpState;
import io.vhca.api.WcStatus;
import io.vhca.api.WrOpcode;
import io.vhca.physical.soft.engine.core.NicCounter;
import io.vhca.physical.soft.engine.core.NicCounters;
import io.vhca.physical.soft.engine.memory.MemoryDomain;
import io.vhca.physical.soft.engine.port.PacketOutput;
import io.vhca.physical.soft.engine.qp.QpContext;
import io.vhca.physical.soft.engine.queue.SendQueue;
import io.vhca.physical.soft.engine.queue.SendWqeDescriptor;
import io.vhca.physical.soft.wire.Opcodes;
import io.vhca.physical.soft.wire.PacketFlyweight;
import io.vhca.physical.soft.wire.Syndrome;

/**
 * The receiving half of an RC requester: takes acknowledgements and responses and completes WQEs in order (IB spec vol.
 * 1, 9.7.5 to 9.7.7).
 *
 * <p>A response says that everything before it was executed. Where a READ or an atomic before it has no answer yet, its
 * answer was lost: an implied NAK. The engine's owner.
 */
final class Completer {
    private final QpContext qp;
    private final SendQueue sends;
    private final MemoryDomain domain;
    private final Requester requester;
    private final NicCounters counters;
    private final PacketOutput output;

    Completer(
            final QpContext qp, final Requester requester, final NicCounters counters, final PacketOutput output) {
        this.qp = qp;
        this.requester = requester;
        this.counters = counters;
        this.output = output;
        sends = qp.sends();
        domain = qp.domain();
    }

    /** An acknowledgement, a READ response or an atomic result arrived. */
    void onResponse(final PacketFlyweight packet) {
        if (!qp.isSending() || requester.isStalled()) {
            counters.increment(NicCounter.DROP_NO_QP);
            return;
        }
        final long sequence = packet.sequenceNear(requester.unacked());
        if (sequence < requester.unacked() || sequence >= requester.sent()) {
            counters.happened(NicCounter.STALE_RESPONSES, DeviceStep.STALE_RESPONSE, qp.qpNum(), sequence);
            return;
        }
        switch (packet.opcode()) {
            case Opcodes.RC_ACKNOWLEDGE -> onAcknowledge(sequence, packet.syndrome());
            case Opcodes.RC_ATOMIC_ACKNOWLEDGE -> onAtomic(sequence, packet.atomicOriginal());
            default -> onRead(sequence, packet.payload(), packet.payloadLength());
        }
    }

    private void onAcknowledge(final long sequence, final int syndrome) {
        if (Syndrome.isAck(syndrome)) {
            advance(sequence + 1);
            return;
        }
        final boolean isRnr = Syndrome.isRnrNak(syndrome);
        counters.happened(
                isRnr ? NicCounter.RNR_NAKS_RECEIVED : NicCounter.NAKS_RECEIVED,
                isRnr ? DeviceStep.RNR_NAK_RECEIVED : DeviceStep.NAK_RECEIVED, qp.qpNum(), sequence);
        if (!advance(sequence)) {
            return;
        }
        if (isRnr) {
            requester.notReady(Syndrome.rnrTimerNs(syndrome));
            return;
        }
        switch (syndrome) {
            case Syndrome.NAK_PSN_SEQUENCE -> requester.missing();
            case Syndrome.NAK_INVALID_REQUEST -> qp.failSend(WcStatus.REM_INV_REQ_ERR);
            case Syndrome.NAK_REMOTE_ACCESS -> qp.failSend(WcStatus.REM_ACCESS_ERR);
            case Syndrome.NAK_REMOTE_OPERATIONAL -> qp.failSend(WcStatus.REM_OP_ERR);
            default -> qp.failSend(WcStatus.BAD_RESP_ERR);
        }
    }

    /**
     * The responder has executed everything before {@code end}: completes what that completes.
     *
     * @return false when an answer before {@code end} is missing, or the QP failed on the way
     */
    private boolean advance(final long end) {
        boolean hasProgress = false;
        boolean isComplete = true;
        while (requester.unacked() < end) {
            final long wqe = sends.address(sends.consumer());
            if (SendWqeDescriptor.needsResponse(wqe)) {
                isComplete = false;
                break;
            }
            hasProgress = true;
            final long last = SendWqeDescriptor.last(wqe);
            if (end <= last) {
                requester.acknowledged(end);
            } else {
                requester.acknowledged(last + 1);
                qp.completeSend(WcStatus.SUCCESS);
                if (qp.state() == QpState.ERR) {
                    return false;
                }
            }
        }
        if (hasProgress) {
            requester.progressed();
        }
        if (!isComplete) {
            requester.missing();
        }
        return isComplete;
    }

    private void onRead(final long sequence, final long payload, final int payloadLength) {
        if (!advance(sequence)) {
            return;
        }
        final long wqe = sends.address(sends.consumer());
        final long offset = (sequence - SendWqeDescriptor.first(wqe)) * requester.mtu();
        final long expected = Math.min(requester.mtu(), SendWqeDescriptor.length(wqe) - offset);
        if (SendWqeDescriptor.opcode(wqe) != WrOpcode.RDMA_READ.code() || payloadLength != expected) {
            qp.failSend(WcStatus.BAD_RESP_ERR);
            return;
        }
        answer(wqe, sequence, offset, payload, payloadLength);
    }

    private void onAtomic(final long sequence, final long original) {
        if (!advance(sequence)) {
            return;
        }
        final long wqe = sends.address(sends.consumer());
        if (!SendWqeDescriptor.isAtomic(SendWqeDescriptor.opcode(wqe))) {
            qp.failSend(WcStatus.BAD_RESP_ERR);
            return;
        }
        // In memory the value has the machine's byte order.
        final long scratch = output.scratch();
        NativeMemory.putLong(scratch, original);
        answer(wqe, sequence, 0, scratch, Long.BYTES);
    }

    private void answer(
            final long wqe, final long sequence, final long offset, final long data, final int lengthBytes) {
        if (!domain.copy(
                SendWqeDescriptor.sge(wqe, 0),
                SendWqeDescriptor.numSge(wqe),
                offset,
                data,
                lengthBytes,
                AccessFlags.LOCAL_WRITE,
                true)) {
            qp.failSend(WcStatus.LOC_PROT_ERR);
            return;
        }
        requester.acknowledged(sequence + 1);
        requester.responded(wqe);
        if (sequence == SendWqeDescriptor.last(wqe)) {
            qp.completeSend(WcStatus.SUCCESS);
        }
        if (qp.state() != QpState.ERR) {
            requester.progressed();
        }
    }
}
