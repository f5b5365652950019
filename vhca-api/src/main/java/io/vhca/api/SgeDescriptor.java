package io.vhca.api;

/**
 * Layout of {@code struct ibv_sge}, a scatter/gather element.
 *
 * <pre>
 *   0        8        12       16
 *   | addr   | length | lkey   |
 * </pre>
 */
public final class SgeDescriptor {
    public static final int ADDR_OFFSET = 0;
    public static final int LENGTH_OFFSET = ADDR_OFFSET + Long.BYTES;
    public static final int LKEY_OFFSET = LENGTH_OFFSET + Integer.BYTES;
    public static final int SIZE = LKEY_OFFSET + Integer.BYTES;

    private SgeDescriptor() {}

    /** Writes one element at {@code sgeAddress}. */
    public static void write(final long sgeAddress, final long addr, final int lengthBytes, final int lkey) {
        NativeMemory.putLong(sgeAddress + ADDR_OFFSET, addr);
        NativeMemory.putInt(sgeAddress + LENGTH_OFFSET, lengthBytes);
        NativeMemory.putInt(sgeAddress + LKEY_OFFSET, lkey);
    }

    public static long addr(final long sgeAddress) {
        return NativeMemory.getLong(sgeAddress + ADDR_OFFSET);
    }

    public static int length(final long sgeAddress) {
        return NativeMemory.getInt(sgeAddress + LENGTH_OFFSET);
    }

    public static int lkey(final long sgeAddress) {
        return NativeMemory.getInt(sgeAddress + LKEY_OFFSET);
    }
}
