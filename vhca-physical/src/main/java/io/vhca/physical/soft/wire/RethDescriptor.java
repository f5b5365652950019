package io.vhca.physical.soft.wire;

/**
 * The RDMA extended transport header (IB spec vol. 1, 9.3.3).
 *
 * <pre>
 *   0                 8      12             16
 *   | virtual address | rkey | length bytes |
 * </pre>
 */
public final class RethDescriptor {
    public static final int ADDRESS_OFFSET = 0;
    public static final int RKEY_OFFSET = ADDRESS_OFFSET + Long.BYTES;
    public static final int LENGTH_OFFSET = RKEY_OFFSET + Integer.BYTES;
    public static final int SIZE = LENGTH_OFFSET + Integer.BYTES;

    static {
        if (SIZE != 16) {
            throw new ExceptionInInitializerError("a RETH is 16 bytes, not " + SIZE);
        }
    }

    private RethDescriptor() {}

    public static void write(final long header, final long virtualAddress, final int rkey, final int lengthBytes) {
        Wire.putLong(header + ADDRESS_OFFSET, virtualAddress);
        Wire.putInt(header + RKEY_OFFSET, rkey);
        Wire.putInt(header + LENGTH_OFFSET, lengthBytes);
    }

    public static long virtualAddress(final long header) {
        return Wire.getLong(header + ADDRESS_OFFSET);
    }

    public static int rkey(final long header) {
        return Wire.getInt(header + RKEY_OFFSET);
    }

    /** Bytes of the whole message, unsigned 32 bits. */
    public static long lengthBytes(final long header) {
        return Integer.toUnsignedLong(Wire.getInt(header + LENGTH_OFFSET));
    }
}
