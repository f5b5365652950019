package io.vhca.physical.soft.engine.rc;

import io.vhca.api.NativeMemory;
import io.vhca.api.SendFlags;
import io.vhca.api.WrOpcode;
import io.vhca.physical.soft.engine.core.Path;
import io.vhca.physical.soft.engine.memory.MemoryDomain;
import io.vhca.physical.soft.engine.port.PacketOutput;
import io.vhca.physical.soft.engine.qp.QpContext;
import io.vhca.physical.soft.engine.qp.QpSettings;
import io.vhca.physical.soft.engine.queue.SendWqeDescriptor;
import io.vhca.physical.soft.wire.AtomicEthDescriptor;
import io.vhca.physical.soft.wire.BthDescriptor;
import io.vhca.physical.soft.wire.ImmDtDescriptor;
import io.vhca.physical.soft.wire.Opcodes;
import io.vhca.physical.soft.wire.PacketFlyweight;
import io.vhca.physical.soft.wire.Psn;
import io.vhca.physical.soft.wire.RethDescriptor;

/** Writes the request packets of a connection and sends them; it decides nothing. The engine's owner. */
final class RequestWriter {
    private final PacketOutput output;
    private final QpSettings settings;
    private final MemoryDomain domain;
    private int destQp;
    private int mtu;

    RequestWriter(final PacketOutput output, final QpContext qp) {
        this.output = output;
        settings = qp.settings();
        domain = qp.domain();
    }

    /** RTR to RTS: the peer is known. */
    void start() {
        destQp = settings.destQpNum();
        mtu = settings.pathMtu().bytes();
    }

    /** A packet of this connection was accepted. */
    void heard(final PacketFlyweight packet) {
        final Path peer = settings.path();
        if (peer != null) {
            output.heard(peer, packet);
        }
    }

    /** Sends the packet of a SEND or WRITE that has {@code sequence}; false when a key does not allow to read it. */
    boolean sendData(final long wqe, final long sequence, final boolean isAckRequested) {
        final long first = SendWqeDescriptor.first(wqe);
        final boolean isLast = sequence == SendWqeDescriptor.last(wqe);
        assert first <= sequence && sequence <= SendWqeDescriptor.last(wqe) : "the sequence is another request's";
        final long offset = (sequence - first) * mtu;
        final long lengthBytes = SendWqeDescriptor.length(wqe);
        final int part = (int) Math.min(mtu, lengthBytes - offset);
        final int opcode = dataOpcode(SendWqeDescriptor.opcode(wqe), sequence == first, isLast);
        final int headerBytes = Opcodes.headerBytes(opcode);
        final int flags = Opcodes.flags(opcode);
        final long packet = output.buffer();
        if (!gather(wqe, offset, packet + headerBytes, part)) {
            return false;
        }
        final boolean isSolicited = isLast && SendWqeDescriptor.hasFlag(wqe, SendFlags.SOLICITED);
        BthDescriptor.write(
                packet, opcode, isSolicited, PacketOutput.pad(part), destQp, isAckRequested, Psn.of(sequence));
        if ((flags & Opcodes.HAS_RETH) != 0) {
            RethDescriptor.write(
                    packet + BthDescriptor.SIZE,
                    SendWqeDescriptor.remoteAddr(wqe),
                    SendWqeDescriptor.rkey(wqe),
                    (int) lengthBytes);
        }
        if ((flags & Opcodes.HAS_IMM) != 0) {
            NativeMemory.putInt(packet + headerBytes - ImmDtDescriptor.SIZE, SendWqeDescriptor.rawImmediate(wqe));
        }
        send(headerBytes, part);
        return true;
    }

    private static int dataOpcode(final int wrOpcode, final boolean isFirst, final boolean isLast) {
        final boolean isWrite =
                wrOpcode == WrOpcode.RDMA_WRITE.code() || wrOpcode == WrOpcode.RDMA_WRITE_WITH_IMM.code();
        final int base = isWrite ? Opcodes.RC_WRITE_FIRST : Opcodes.RC_SEND_FIRST;
        if (!isLast) {
            return base + (isFirst ? 0 : Opcodes.RC_SEND_MIDDLE);
        }
        final boolean hasImmediate =
                wrOpcode == WrOpcode.SEND_WITH_IMM.code() || wrOpcode == WrOpcode.RDMA_WRITE_WITH_IMM.code();
        return base + (isFirst ? Opcodes.RC_SEND_ONLY : Opcodes.RC_SEND_LAST) + (hasImmediate ? 1 : 0);
    }

    private boolean gather(final long wqe, final long offset, final long to, final int lengthBytes) {
        if (SendWqeDescriptor.isInline(wqe)) {
            NativeMemory.copy(SendWqeDescriptor.data(wqe) + offset, to, lengthBytes);
            return true;
        }
        return domain.copy(
                SendWqeDescriptor.sge(wqe, 0), SendWqeDescriptor.numSge(wqe), offset, to, lengthBytes, 0, false);
    }

    /**
     * Sends a request for a part of a READ.
     *
     * @param sequence of the first response packet
     * @param offset   of the part in the READ
     */
    void sendRead(final long wqe, final long sequence, final long offset, final long lengthBytes) {
        final long packet = output.buffer();
        BthDescriptor.write(packet, Opcodes.RC_READ_REQUEST, false, 0, destQp, false, Psn.of(sequence));
        RethDescriptor.write(
                packet + BthDescriptor.SIZE,
                SendWqeDescriptor.remoteAddr(wqe) + offset,
                SendWqeDescriptor.rkey(wqe),
                (int) lengthBytes);
        send(Opcodes.headerBytes(Opcodes.RC_READ_REQUEST), 0);
    }

    /** Sends an atomic. */
    void sendAtomic(final long wqe, final long sequence) {
        final boolean isAdd = SendWqeDescriptor.opcode(wqe) == WrOpcode.ATOMIC_FETCH_AND_ADD.code();
        final int opcode = isAdd ? Opcodes.RC_FETCH_ADD : Opcodes.RC_COMPARE_SWAP;
        final long compareAdd = SendWqeDescriptor.compareAdd(wqe);
        final long packet = output.buffer();
        BthDescriptor.write(packet, opcode, false, 0, destQp, false, Psn.of(sequence));
        AtomicEthDescriptor.write(
                packet + BthDescriptor.SIZE,
                SendWqeDescriptor.atomicAddr(wqe),
                SendWqeDescriptor.atomicRkey(wqe),
                isAdd ? compareAdd : SendWqeDescriptor.swap(wqe),
                isAdd ? 0 : compareAdd);
        send(Opcodes.headerBytes(opcode), 0);
    }

    /** By the way to the peer as it is now: SQD allows to change it. */
    private void send(final int headerBytes, final int payloadBytes) {
        final Path path = settings.path();
        if (path != null) {
            output.send(path, headerBytes, payloadBytes);
        }
    }
}
