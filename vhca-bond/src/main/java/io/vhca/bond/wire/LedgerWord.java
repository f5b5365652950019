package io.vhca.bond.wire;

import io.vhca.api.NativeMemory;

/**
 * A word of this bond's memory into which the peer of one vQP writes its marks: big-endian, every request with a
 * sequence below it has been executed here.
 *
 * @param address    native, 8-byte aligned
 * @param virtualKey under which peers reach it
 */
public record LedgerWord(long address, int virtualKey) {
    public static final int SIZE = Long.BYTES;

    /** The last mark. While the physical QP lives, more may come at any time. */
    public long read() {
        return Long.reverseBytes(NativeMemory.getLong(address));
    }

    public void clear() {
        NativeMemory.putLong(address, 0);
    }
}
