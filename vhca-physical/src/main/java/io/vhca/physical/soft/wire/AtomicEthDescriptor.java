package io.vhca.physical.soft.wire;

/**
 * The atomic extended transport header (IB spec vol. 1, 9.3.4).
 *
 * <pre>
 *   0                 8      12           20        28
 *   | virtual address | rkey | swap / add | compare |
 * </pre>
 */
public final class AtomicEthDescriptor {
    public static final int ADDRESS_OFFSET = 0;
    public static final int RKEY_OFFSET = ADDRESS_OFFSET + Long.BYTES;
    public static final int SWAP_ADD_OFFSET = RKEY_OFFSET + Integer.BYTES;
    public static final int COMPARE_OFFSET = SWAP_ADD_OFFSET + Long.BYTES;
    public static final int SIZE = COMPARE_OFFSET + Long.BYTES;

    static {
        if (SIZE != 28) {
            throw new ExceptionInInitializerError("an AtomicETH is 28 bytes, not " + SIZE);
        }
    }

    private AtomicEthDescriptor() {}

    public static void write(
            final long header, final long virtualAddress, final int rkey, final long swapOrAdd, final long compare) {
        Wire.putLong(header + ADDRESS_OFFSET, virtualAddress);
        Wire.putInt(header + RKEY_OFFSET, rkey);
        Wire.putLong(header + SWAP_ADD_OFFSET, swapOrAdd);
        Wire.putLong(header + COMPARE_OFFSET, compare);
    }

    public static long virtualAddress(final long header) {
        return Wire.getLong(header + ADDRESS_OFFSET);
    }

    public static int rkey(final long header) {
        return Wire.getInt(header + RKEY_OFFSET);
    }

    public static long swapOrAdd(final long header) {
        return Wire.getLong(header + SWAP_ADD_OFFSET);
    }

    public static long compare(final long header) {
        return Wire.getLong(header + COMPARE_OFFSET);
    }
}
