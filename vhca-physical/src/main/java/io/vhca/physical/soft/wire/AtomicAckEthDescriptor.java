package io.vhca.physical.soft.wire;

/**
 * The atomic acknowledge extended transport header: the value before the operation (IB spec vol. 1, 9.5.3).
 *
 * <pre>
 *   0                8
 *   | original value |
 * </pre>
 */
public final class AtomicAckEthDescriptor {
    public static final int ORIGINAL_OFFSET = 0;
    public static final int SIZE = ORIGINAL_OFFSET + Long.BYTES;

    private AtomicAckEthDescriptor() {}

    public static void write(final long header, final long original) {
        Wire.putLong(header + ORIGINAL_OFFSET, original);
    }

    public static long original(final long header) {
        return Wire.getLong(header + ORIGINAL_OFFSET);
    }
}
