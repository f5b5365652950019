package io.vhca.physical.soft.engine.ud;

import io.vhca.api.NativeMemory;
import io.vhca.api.SendFlags;
import io.vhca.api.WcStatus;
import io.vhca.api.WrOpcode;
import io.vhca.physical.soft.engine.memory.MemoryDomain;
import io.vhca.physical.soft.engine.port.PacketOutput;
import io.vhca.physical.soft.engine.port.Port;
import io.vhca.physical.soft.engine.qp.QpContext;
import io.vhca.physical.soft.engine.qp.QpSettings;
import io.vhca.physical.soft.engine.queue.SendWqeDescriptor;
import io.vhca.physical.soft.wire.BthDescriptor;
import io.vhca.physical.soft.wire.DethDescriptor;
import io.vhca.physical.soft.wire.ImmDtDescriptor;
import io.vhca.physical.soft.wire.Opcodes;
import io.vhca.physical.soft.wire.Psn;

/** Checks the datagrams of one queue pair, writes their packets and sends them. The engine's owner. */
final class DatagramWriter {
    /** A Q_Key with this bit stands for the queue pair's own. */
    private static final int PRIVILEGED_QKEY = 0x8000_0000;

    private final Port port;
    private final PacketOutput output;
    private final AhTable ahs;
    private final QpContext qp;
    private final QpSettings settings;
    private final MemoryDomain domain;
    private long sequence;

    DatagramWriter(final Port port, final PacketOutput output, final AhTable ahs, final QpContext qp) {
        this.port = port;
        this.output = output;
        this.ahs = ahs;
        this.qp = qp;
        settings = qp.settings();
        domain = qp.domain();
    }

    /** RTR to RTS. */
    void start() {
        sequence = settings.sqPsn();
    }

    /** Sends one datagram; anything but SUCCESS says why it was not sent. */
    WcStatus send(final long wqe) {
        if (SendWqeDescriptor.length(wqe) > port.mtu().bytes()) {
            return WcStatus.LOC_LEN_ERR;
        }
        final int lengthBytes = (int) SendWqeDescriptor.length(wqe);
        final SoftAh ah = ahs.find(SendWqeDescriptor.ah(wqe));
        if (ah == null || ah.domain() != domain) {
            return WcStatus.LOC_QP_OP_ERR;
        }
        final boolean hasImmediate = SendWqeDescriptor.opcode(wqe) == WrOpcode.SEND_WITH_IMM.code();
        final int opcode = hasImmediate ? Opcodes.UD_SEND_ONLY_IMM : Opcodes.UD_SEND_ONLY;
        final int headerBytes = Opcodes.headerBytes(opcode);
        final long packet = output.buffer();
        if (!gather(wqe, packet + headerBytes, lengthBytes)) {
            return WcStatus.LOC_PROT_ERR;
        }
        BthDescriptor.write(
                packet,
                opcode,
                SendWqeDescriptor.hasFlag(wqe, SendFlags.SOLICITED),
                PacketOutput.pad(lengthBytes),
                SendWqeDescriptor.remoteQpn(wqe),
                false,
                Psn.of(sequence));
        sequence++;
        final int qkey = SendWqeDescriptor.remoteQkey(wqe);
        DethDescriptor.write(
                packet + BthDescriptor.SIZE, (qkey & PRIVILEGED_QKEY) != 0 ? settings.qkey() : qkey, qp.qpNum());
        if (hasImmediate) {
            NativeMemory.putInt(packet + headerBytes - ImmDtDescriptor.SIZE, SendWqeDescriptor.rawImmediate(wqe));
        }
        output.send(ah.path(), headerBytes, lengthBytes);
        return WcStatus.SUCCESS;
    }

    private boolean gather(final long wqe, final long to, final int lengthBytes) {
        if (SendWqeDescriptor.isInline(wqe)) {
            NativeMemory.copy(SendWqeDescriptor.data(wqe), to, lengthBytes);
            return true;
        }
        return domain.copy(
                SendWqeDescriptor.sge(wqe, 0), SendWqeDescriptor.numSge(wqe), 0, to, lengthBytes, 0, false);
    }
}
