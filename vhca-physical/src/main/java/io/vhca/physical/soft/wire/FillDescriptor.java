package io.vhca.physical.soft.wire;

import io.vhca.api.NativeMemory;

/**
 * What makes a packet as long as the others of its train, which the kernel wants of all but the last. Only between two
 * soft devices: who takes filled packets says so in a bit of the BTH's reserved byte, which the ICRC sees as ones and
 * others do not read. The ICRC is that of the packet without what was added.
 *
 * <pre>
 *   | BTH ... ICRC | zeros | bytes added (2) |
 * </pre>
 */
public final class FillDescriptor {
    /** What may be added: whole words, as packets are. */
    public static final int LEAST_BYTES = Integer.BYTES;

    private static final int FLAGS_OFFSET = BthDescriptor.DEST_QP_OFFSET;
    private static final int FILLED = 0x01;
    private static final int TAKES_FILLED = 0x02;
    private static final int LEAST_PACKET = BthDescriptor.SIZE + Wire.ICRC_BYTES;

    static {
        if (((FILLED | TAKES_FILLED) & (BthDescriptor.BECN | BthDescriptor.FECN)) != 0) {
            throw new ExceptionInInitializerError("bits of the BTH's reserved byte have two meanings");
        }
    }

    private FillDescriptor() {}

    /** Says in a packet that its sender takes filled ones. */
    public static void offer(final long packet) {
        setFlag(packet, TAKES_FILLED);
    }

    /** True when the sender of a packet takes filled ones. */
    public static boolean isOffered(final long packet) {
        return (NativeMemory.getByte(packet + FLAGS_OFFSET) & TAKES_FILLED) != 0;
    }

    /** True where that many bytes can be added. */
    public static boolean canAdd(final int bytes) {
        return bytes >= LEAST_BYTES && bytes % LEAST_BYTES == 0;
    }

    /** Adds so many bytes behind a packet; what lay there before is overwritten. */
    public static void add(final long packet, final int lengthBytes, final int addedBytes) {
        assert canAdd(addedBytes) : "not to be filled by " + addedBytes;
        final long end = packet + lengthBytes + addedBytes;
        NativeMemory.fill(packet + lengthBytes, addedBytes, (byte) 0);
        Wire.putShort(end - Short.BYTES, addedBytes);
        setFlag(packet, FILLED);
    }

    /** Length of a packet without what was added; as it is where nothing was, or nothing that can be. */
    public static int packetBytes(final long packet, final int lengthBytes) {
        if (lengthBytes < LEAST_PACKET + LEAST_BYTES
                || (NativeMemory.getByte(packet + FLAGS_OFFSET) & FILLED) == 0) {
            return lengthBytes;
        }
        final int added = Wire.getShort(packet + lengthBytes - Short.BYTES);
        return canAdd(added) && added <= lengthBytes - LEAST_PACKET ? lengthBytes - added : lengthBytes;
    }

    private static void setFlag(final long packet, final int flag) {
        NativeMemory.putByte(packet + FLAGS_OFFSET, (byte) (NativeMemory.getByte(packet + FLAGS_OFFSET) | flag));
    }
}
