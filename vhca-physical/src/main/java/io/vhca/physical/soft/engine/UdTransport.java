package io.vhca.physical.soft.engine;

import io.vhca.api.AccessFlags;
import io.vhca.api.AsyncEvent;
import io.vhca.api.AsyncEventType;
import io.vhca.api.NativeMemory;
import io.vhca.api.QpState;
import io.vhca.api.SendFlags;
import io.vhca.api.SendWrDescriptor;
import io.vhca.api.WcFlags;
import io.vhca.api.WcOpcode;
import io.vhca.api.WcStatus;
import io.vhca.api.WrOpcode;
import io.vhca.physical.soft.wire.BthDescriptor;
import io.vhca.physical.soft.wire.DethDescriptor;
import io.vhca.physical.soft.wire.ImmDtDescriptor;
import io.vhca.physical.soft.wire.Opcodes;
import io.vhca.physical.soft.wire.Wire;

/**
 * Unreliable datagrams: one packet a message, done when it is sent (IB spec vol. 1, 9.8.3). A datagram that finds no
 * receive or one that is too small is dropped and counted.
 */
final class UdTransport implements Transport {
    /** A Q_Key with this bit stands for the QP's own. */
    private static final int PRIVILEGED_QKEY = 0x8000_0000;

    private final SoftQp qp;
    private final SoftNic nic;
    private final SendQueue sends;
    private final HeldReceive receive;
    private final NicCounters counters;
    private final GrhWriter grh;
    private int psn;
    private boolean isDrainReported;

    UdTransport(final SoftQp qp) {
        this.qp = qp;
        nic = qp.nic;
        sends = qp.sends;
        counters = nic.counters();
        receive = new HeldReceive(qp);
        grh = new GrhWriter(nic.carrier().address());
    }

    @Override
    public boolean run(final int budget) {
        final QpState state = qp.state();
        if (state == QpState.SQD && !isDrainReported) {
            isDrainReported = true;
            if (qp.settings.isDrainNotified) {
                nic.raise(AsyncEvent.ofQp(AsyncEventType.SQ_DRAINED, qp));
            }
        }
        for (int i = 0; i < budget; i++) {
            if (qp.state() != QpState.RTS || sends.consumer() == sends.producer()) {
                return false;
            }
            final WcStatus status = send(sends.address(sends.consumer()));
            if (status != WcStatus.SUCCESS) {
                qp.failSend(status);
                return false;
            }
            qp.completeSend(status);
        }
        return true;
    }

    private WcStatus send(final long wqe) {
        if (SendWqeDescriptor.length(wqe) > nic.portMtu().bytes()) {
            return WcStatus.LOC_LEN_ERR;
        }
        final int lengthBytes = (int) SendWqeDescriptor.length(wqe);
        final SoftAh ah = nic.ahs().find(NativeMemory.getLong(wqe + SendWrDescriptor.UD_AH_OFFSET));
        if (ah == null || ah.pd() != qp.pd()) {
            return WcStatus.LOC_QP_OP_ERR;
        }
        final boolean hasImmediate = SendWqeDescriptor.opcode(wqe) == WrOpcode.SEND_WITH_IMM.code();
        final int opcode = hasImmediate ? Opcodes.UD_SEND_ONLY_IMM : Opcodes.UD_SEND_ONLY;
        final int headerBytes = Opcodes.headerBytes(opcode);
        final long packet = nic.output().buffer();
        if (SendWqeDescriptor.isInline(wqe)) {
            NativeMemory.copy(wqe + SendWqeDescriptor.DATA_OFFSET, packet + headerBytes, lengthBytes);
        } else if (!qp.copy(
                SendWqeDescriptor.sge(wqe, 0),
                SendWqeDescriptor.numSge(wqe),
                0,
                packet + headerBytes,
                lengthBytes,
                0,
                false)) {
            return WcStatus.LOC_PROT_ERR;
        }
        BthDescriptor.write(
                packet,
                opcode,
                SendWqeDescriptor.hasFlag(wqe, SendFlags.SOLICITED),
                PacketOutput.pad(lengthBytes),
                NativeMemory.getInt(wqe + SendWrDescriptor.UD_REMOTE_QPN_OFFSET),
                false,
                psn);
        psn = psn + 1 & Wire.MASK_24;
        final int qkey = NativeMemory.getInt(wqe + SendWrDescriptor.UD_REMOTE_QKEY_OFFSET);
        DethDescriptor.write(
                packet + BthDescriptor.SIZE, (qkey & PRIVILEGED_QKEY) != 0 ? qp.settings.qkey : qkey, qp.qpNum());
        if (hasImmediate) {
            NativeMemory.putInt(packet + headerBytes - ImmDtDescriptor.SIZE, SendWqeDescriptor.rawImmediate(wqe));
        }
        nic.output().send(ah.path, headerBytes, lengthBytes);
        return WcStatus.SUCCESS;
    }

    @Override
    public void onPacket(
            final int opcode, final int flags, final long packet, final long payload, final int payloadLength) {
        final long deth = packet + BthDescriptor.SIZE;
        if (DethDescriptor.qkey(deth) != qp.settings.qkey) {
            counters.increment(NicCounter.DROP_QKEY);
            return;
        }
        final int total = Wire.GRH_BYTES + payloadLength;
        if (qp.receives.isEmpty() || RecvWqeDescriptor.length(qp.receives.front()) < total) {
            counters.increment(NicCounter.DROP_NO_RECEIVE);
            return;
        }
        receive.take();
        receive.drop();
        final boolean hasImmediate = (flags & Opcodes.HAS_IMM) != 0;
        final long header = nic.output().buffer();
        grh.write(header, nic.input().sourceHigh(), nic.input().sourceLow(), payload, packet, payloadLength);
        final boolean isPlaced = scatter(0, header, Wire.GRH_BYTES) && scatter(Wire.GRH_BYTES, payload, payloadLength);
        qp.completeReceive(
                receive.wrId(),
                isPlaced ? WcStatus.SUCCESS : WcStatus.LOC_PROT_ERR,
                WcOpcode.RECV,
                total,
                hasImmediate ? NativeMemory.getInt(payload - ImmDtDescriptor.SIZE) : 0,
                DethDescriptor.srcQp(deth),
                WcFlags.GRH | (hasImmediate ? WcFlags.WITH_IMM : 0),
                BthDescriptor.isSolicited(packet));
        if (!isPlaced) {
            qp.enterError(null, false);
        }
    }

    private boolean scatter(final long offset, final long data, final int lengthBytes) {
        return qp.copy(
                receive.sges(), receive.numSge(), offset, data, lengthBytes, AccessFlags.LOCAL_WRITE, true);
    }

    @Override
    public boolean hasDeadline() {
        return false;
    }

    @Override
    public long deadlineNs() {
        throw new IllegalStateException("a datagram queue pair waits for nothing");
    }

    @Override
    public void onDeadline() {
        // There is none.
    }

    @Override
    public void onState(final QpState from, final QpState to) {
        isDrainReported = false;
        if (from == QpState.RTR && to == QpState.RTS) {
            psn = qp.settings.sqPsn;
        }
    }

    @Override
    public void abandon(final boolean isLost) {
        // Nothing is held between packets.
    }

    @Override
    public void forget() {
        receive.free();
    }

    @Override
    public void stall() {
        // Datagrams complete when they are sent: there is no state to hang in.
    }

    @Override
    public boolean isStalled() {
        return false;
    }

    @Override
    public boolean holdsUnplaced() {
        return false;
    }
}
