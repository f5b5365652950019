package io.vhca.physical.soft.wire;

/**
 * The datagram extended transport header (IB spec vol. 1, 9.3.2).
 *
 * <pre>
 *   0      4                    8
 *   | qkey | reserved | src QP  |
 * </pre>
 */
public final class DethDescriptor {
    public static final int QKEY_OFFSET = 0;
    public static final int SRC_QP_OFFSET = QKEY_OFFSET + Integer.BYTES;
    public static final int SIZE = SRC_QP_OFFSET + Integer.BYTES;

    private DethDescriptor() {}

    public static void write(final long header, final int qkey, final int srcQp) {
        Wire.putInt(header + QKEY_OFFSET, qkey);
        Wire.putInt(header + SRC_QP_OFFSET, srcQp & Wire.MASK_24);
    }

    public static int qkey(final long header) {
        return Wire.getInt(header + QKEY_OFFSET);
    }

    public static int srcQp(final long header) {
        return Wire.getInt(header + SRC_QP_OFFSET) & Wire.MASK_24;
    }
}
