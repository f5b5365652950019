package io.vhca.physical.soft.wire;

/**
 * The acknowledge extended transport header (IB spec vol. 1, 9.3.5).
 *
 * <pre>
 *   0          1     4
 *   | syndrome | MSN |
 * </pre>
 */
public final class AethDescriptor {
    public static final int SYNDROME_OFFSET = 0;
    public static final int SIZE = SYNDROME_OFFSET + Integer.BYTES;

    private static final int SYNDROME_SHIFT = 24;

    private AethDescriptor() {}

    public static void write(final long header, final int syndrome, final int msn) {
        Wire.putInt(header + SYNDROME_OFFSET, syndrome << SYNDROME_SHIFT | msn & Wire.MASK_24);
    }

    /** One of {@link Syndrome}. */
    public static int syndrome(final long header) {
        return Wire.getByte(header + SYNDROME_OFFSET);
    }

    /** Message sequence number: how many messages the responder has completed, 24 bits. */
    public static int msn(final long header) {
        return Wire.getInt(header + SYNDROME_OFFSET) & Wire.MASK_24;
    }
}
