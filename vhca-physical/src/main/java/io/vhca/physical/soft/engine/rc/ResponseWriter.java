package io.vhca.physical.soft.engine.rc;

import io.vhca.api.NativeMemory;
import io.vhca.physical.soft.engine.core.Path;
import io.vhca.physical.soft.engine.port.PacketOutput;
import io.vhca.physical.soft.engine.qp.QpContext;
import io.vhca.physical.soft.engine.qp.QpSettings;
import io.vhca.physical.soft.wire.AethDescriptor;
import io.vhca.physical.soft.wire.AtomicAckEthDescriptor;
import io.vhca.physical.soft.wire.BthDescriptor;
import io.vhca.physical.soft.wire.Opcodes;
import io.vhca.physical.soft.wire.Psn;
import io.vhca.physical.soft.wire.Syndrome;

/** Writes the response packets of a connection and sends them; it decides nothing. The engine's owner. */
final class ResponseWriter {
    private final PacketOutput output;
    private final QpSettings settings;

    ResponseWriter(final PacketOutput output, final QpContext qp) {
        this.output = output;
        settings = qp.settings();
    }

    /**
     * Sends one packet of a READ response, whose bytes were checked.
     *
     * @param msn messages that the responder has executed
     */
    void sendRead(
            final long sequence,
            final boolean isFirst,
            final boolean isLast,
            final long address,
            final int lengthBytes,
            final int msn) {
        final long packet = output.buffer();
        final int opcode = readOpcode(isFirst, isLast);
        final int headerBytes = Opcodes.headerBytes(opcode);
        writeBth(packet, opcode, PacketOutput.pad(lengthBytes), sequence);
        if ((Opcodes.flags(opcode) & Opcodes.HAS_AETH) != 0) {
            AethDescriptor.write(packet + BthDescriptor.SIZE, Syndrome.ACK_UNLIMITED, msn);
        }
        if (lengthBytes > 0) {
            // The address of a READ of nothing is the peer's word, which nobody has checked.
            NativeMemory.copy(address, packet + headerBytes, lengthBytes);
        }
        send(headerBytes, lengthBytes);
    }

    private static int readOpcode(final boolean isFirst, final boolean isLast) {
        if (isFirst) {
            return isLast ? Opcodes.RC_READ_RESPONSE_ONLY : Opcodes.RC_READ_RESPONSE_FIRST;
        }
        return isLast ? Opcodes.RC_READ_RESPONSE_LAST : Opcodes.RC_READ_RESPONSE_MIDDLE;
    }

    /** Sends the result of an atomic. */
    void sendAtomic(final long sequence, final long original, final int msn) {
        final long packet = output.buffer();
        final long aeth = packet + BthDescriptor.SIZE;
        writeBth(packet, Opcodes.RC_ATOMIC_ACKNOWLEDGE, 0, sequence);
        AethDescriptor.write(aeth, Syndrome.ACK_UNLIMITED, msn);
        AtomicAckEthDescriptor.write(aeth + AethDescriptor.SIZE, original);
        send(Opcodes.headerBytes(Opcodes.RC_ATOMIC_ACKNOWLEDGE), 0);
    }

    /** Sends an acknowledgement or a NAK. */
    void sendAcknowledge(final long sequence, final int syndrome, final int msn) {
        final long packet = output.buffer();
        writeBth(packet, Opcodes.RC_ACKNOWLEDGE, 0, sequence);
        AethDescriptor.write(packet + BthDescriptor.SIZE, syndrome, msn);
        send(Opcodes.headerBytes(Opcodes.RC_ACKNOWLEDGE), 0);
    }

    /** Sends a CNP: the peer's packets met congestion. */
    void sendCongestionNotification() {
        final long packet = output.buffer();
        writeBth(packet, Opcodes.CONGESTION_NOTIFICATION, 0, 0);
        BthDescriptor.markBecn(packet);
        NativeMemory.fill(packet + BthDescriptor.SIZE, Opcodes.CNP_RESERVED_BYTES, (byte) 0);
        send(Opcodes.headerBytes(Opcodes.CONGESTION_NOTIFICATION), 0);
    }

    private void writeBth(final long packet, final int opcode, final int pad, final long sequence) {
        BthDescriptor.write(packet, opcode, false, pad, settings.destQpNum(), false, Psn.of(sequence));
    }

    private void send(final int headerBytes, final int payloadBytes) {
        final Path path = settings.path();
        if (path != null) {
            output.sendAnswer(path, headerBytes, payloadBytes);
        }
    }
}
