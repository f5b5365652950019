package io.vhca.physical.soft.wire;

import io.vhca.api.NativeMemory;

/**
 * The base transport header, the first 12 bytes of every packet (IB spec vol. 1, 9.2).
 *
 * <pre>
 *   0        1                     2      4          5         8              9     12
 *   | opcode | SE M Pad(2) TVer(4) | pkey | reserved | dest QP | A, reserved  | PSN |
 * </pre>
 */
public final class BthDescriptor {
    public static final int OPCODE_OFFSET = 0;
    public static final int FLAGS_OFFSET = OPCODE_OFFSET + Byte.BYTES;
    public static final int PKEY_OFFSET = FLAGS_OFFSET + Byte.BYTES;
    /**
     * Reserved byte ({@link #FECN}, {@link #BECN}, {@link FillDescriptor}) and destination QP; the ICRC sees the byte
     * as ones.
     */
    public static final int DEST_QP_OFFSET = PKEY_OFFSET + Short.BYTES;
    public static final int PSN_OFFSET = DEST_QP_OFFSET + Integer.BYTES;
    public static final int SIZE = PSN_OFFSET + Integer.BYTES;

    /** The P_Key of the default partition, full member. */
    public static final int DEFAULT_PKEY = 0xffff;

    /** In the byte before the destination QP: the packet met congestion. */
    public static final int FECN = 0x80;

    /** There too: the receiver's packets met congestion. */
    public static final int BECN = 0x40;

    private static final int SOLICITED = 0x80;
    private static final int MIGRATED = 0x40;
    private static final int PAD_SHIFT = 4;
    private static final int ACK_REQUEST = 0x8000_0000;

    static {
        if (SIZE != 12) {
            throw new ExceptionInInitializerError("a BTH is 12 bytes, not " + SIZE);
        }
    }

    private BthDescriptor() {}

    /** Writes a whole header with the default P_Key. */
    public static void write(
            final long address,
            final int opcode,
            final boolean isSolicited,
            final int padBytes,
            final int destQp,
            final boolean isAckRequested,
            final int psn) {
        NativeMemory.putByte(address + OPCODE_OFFSET, (byte) opcode);
        NativeMemory.putByte(
                address + FLAGS_OFFSET, (byte) (MIGRATED | padBytes << PAD_SHIFT | (isSolicited ? SOLICITED : 0)));
        Wire.putShort(address + PKEY_OFFSET, DEFAULT_PKEY);
        Wire.putInt(address + DEST_QP_OFFSET, destQp & Wire.MASK_24);
        Wire.putInt(address + PSN_OFFSET, psn & Wire.MASK_24 | (isAckRequested ? ACK_REQUEST : 0));
    }

    /** Sets {@link #BECN} in a header that was written. */
    public static void markBecn(final long address) {
        NativeMemory.putByte(address + DEST_QP_OFFSET, (byte) BECN);
    }

    public static int opcode(final long address) {
        return Wire.getByte(address + OPCODE_OFFSET);
    }

    public static boolean isSolicited(final long address) {
        return (Wire.getByte(address + FLAGS_OFFSET) & SOLICITED) != 0;
    }

    /** Bytes added behind the payload to make it a multiple of 4. */
    public static int padBytes(final long address) {
        return Wire.getByte(address + FLAGS_OFFSET) >> PAD_SHIFT & 3;
    }

    /** Transport version; 0 is the only one. */
    public static int transportVersion(final long address) {
        return Wire.getByte(address + FLAGS_OFFSET) & 0xf;
    }

    public static int pkey(final long address) {
        return Wire.getShort(address + PKEY_OFFSET);
    }

    public static int destQp(final long address) {
        return Wire.getInt(address + DEST_QP_OFFSET) & Wire.MASK_24;
    }

    public static boolean isAckRequested(final long address) {
        return (Wire.getInt(address + PSN_OFFSET) & ACK_REQUEST) != 0;
    }

    public static int psn(final long address) {
        return Wire.getInt(address + PSN_OFFSET) & Wire.MASK_24;
    }
}
