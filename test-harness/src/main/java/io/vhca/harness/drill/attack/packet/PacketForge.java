package io.vhca.harness.drill.attack.packet;

import io.vhca.api.Gid;
import io.vhca.api.NativeMemory;
import io.vhca.physical.soft.wire.AethDescriptor;
import io.vhca.physical.soft.wire.AtomicEthDescriptor;
import io.vhca.physical.soft.wire.BthDescriptor;
import io.vhca.physical.soft.wire.DethDescriptor;
import io.vhca.physical.soft.wire.Icrc;
import io.vhca.physical.soft.wire.Opcodes;
import io.vhca.physical.soft.wire.RethDescriptor;
import io.vhca.physical.soft.wire.Wire;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import org.jspecify.annotations.Nullable;

/**
 * Builds RoCEv2 packets in a buffer of its own, with the soft device's descriptors, and hands out copies. One thread.
 */
public final class PacketForge {
    /** The longest packet that a soft device takes, and some. */
    public static final int MOST_BYTES = 8192;

    private final MemorySegment memory = Arena.ofAuto().allocate(MOST_BYTES, Long.BYTES);
    private final long buffer = memory.address();
    private final Icrc icrc = new Icrc();

    /**
     * What the extended headers of a packet say, as far as its opcode has them.
     *
     * @param address  of RETH and AtomicETH
     * @param rkey     of the same
     * @param bytes    of a RETH
     * @param syndrome of an AETH
     * @param msn      of an AETH
     */
    public record Extended(long address, int rkey, int bytes, int syndrome, int msn) {}

    /** A datagram to QP1 with a management datagram in it, without its ICRC. */
    public byte[] management(final byte[] mad, final int psn) {
        BthDescriptor.write(buffer, Opcodes.UD_SEND_ONLY, false, 0, Wire.GSI_QPN, false, psn);
        DethDescriptor.write(buffer + BthDescriptor.SIZE, Wire.GSI_QKEY, Wire.GSI_QPN);
        return withPayload(Opcodes.UD_SEND_ONLY, mad);
    }

    /** A packet of a reliable connection, without its ICRC; the payload's length must be a multiple of 4. */
    public byte[] reliable(
            final int opcode, final int destQp, final int psn, final Extended extended, final byte[] payload) {
        BthDescriptor.write(buffer, opcode, false, 0, destQp, true, psn);
        final long header = buffer + BthDescriptor.SIZE;
        final int flags = Opcodes.flags(opcode);
        NativeMemory.fill(header, Opcodes.headerBytes(opcode) - BthDescriptor.SIZE, (byte) 0);
        if ((flags & Opcodes.HAS_RETH) != 0) {
            RethDescriptor.write(header, extended.address, extended.rkey, extended.bytes);
        } else if ((flags & Opcodes.HAS_ATOMIC_ETH) != 0) {
            AtomicEthDescriptor.write(header, extended.address, extended.rkey, 1, 0);
        } else if ((flags & Opcodes.HAS_AETH) != 0) {
            AethDescriptor.write(header, extended.syndrome, extended.msn);
        }
        return withPayload(opcode, (flags & Opcodes.HAS_PAYLOAD) != 0 ? payload : new byte[0]);
    }

    private byte[] withPayload(final int opcode, final byte[] payload) {
        assert (payload.length & 3) == 0 : "no pad is written here";
        final int headerBytes = Opcodes.headerBytes(opcode);
        MemorySegment.copy(payload, 0, memory, ValueLayout.JAVA_BYTE, headerBytes, payload.length);
        return memory.asSlice(0, headerBytes + payload.length).toArray(ValueLayout.JAVA_BYTE);
    }

    /** What goes into the UDP packet: the shot with the ICRC that a device computes for that source port. */
    public byte[] onTheWire(final Shot shot, final int sourcePort) {
        final byte[] packet = shot.packet();
        if (!shot.sealed() || packet.length < BthDescriptor.SIZE || packet.length > MOST_BYTES - Wire.ICRC_BYTES) {
            return packet;
        }
        MemorySegment.copy(packet, 0, memory, ValueLayout.JAVA_BYTE, 0, packet.length);
        Icrc.put(
                buffer + packet.length,
                icrc.compute(
                        shot.from().subnetPrefix(),
                        shot.from().interfaceId(),
                        shot.to().subnetPrefix(),
                        shot.to().interfaceId(),
                        sourcePort,
                        buffer,
                        packet.length));
        return memory.asSlice(0, packet.length + Wire.ICRC_BYTES).toArray(ValueLayout.JAVA_BYTE);
    }

    /** How a packet begins and what it carries; null where it is too short or of no opcode that there is. */
    public static @Nullable Header header(final byte[] packet) {
        if (packet.length < BthDescriptor.SIZE) {
            return null;
        }
        final MemorySegment segment = MemorySegment.ofArray(packet);
        final int opcode = packet[BthDescriptor.OPCODE_OFFSET] & 0xff;
        if (Opcodes.flags(opcode) == 0 || packet.length < Opcodes.headerBytes(opcode)) {
            return null;
        }
        final ValueLayout.OfInt word = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
        return new Header(
                opcode,
                segment.get(word, BthDescriptor.DEST_QP_OFFSET) & Wire.MASK_24,
                segment.get(word, BthDescriptor.PSN_OFFSET) & Wire.MASK_24);
    }

    /**
     * The base transport header.
     *
     * @param opcode one of {@link Opcodes}
     * @param destQp the queue pair that it is for
     * @param psn    its number
     */
    public record Header(int opcode, int destQp, int psn) {}
}
