package io.vhca.harness.sim.core;

import io.vhca.api.NativeMemory;

/**
 * Pseudo-random bytes that a key stands for: the sender writes them, the receiver computes them again. Byte {@code i}
 * of a key is always the same, so any part can be checked alone.
 */
public final class Content {
    private static final long STEP = 0x9e37_79b9_7f4a_7c15L;

    private Content() {}

    /** A key of a numbered thing below another key. */
    public static long key(final long parent, final long number) {
        return mix(parent + mix(number * STEP + 1));
    }

    /** Writes bytes {@code 0 .. lengthBytes - 1} of the key. */
    public static void fill(final long address, final int lengthBytes, final long key) {
        int offset = 0;
        for (; offset + Long.BYTES <= lengthBytes; offset += Long.BYTES) {
            NativeMemory.putLong(address + offset, word(key, offset >>> 3));
        }
        for (; offset < lengthBytes; offset++) {
            NativeMemory.putByte(address + offset, byteAt(key, offset));
        }
    }

    /**
     * The first byte in {@code from .. to - 1} of the key that differs from memory, where {@code address} is that of
     * byte 0.
     *
     * @return its offset, or -1 when all are equal
     */
    public static int mismatch(final long address, final int from, final int to, final long key) {
        int offset = from;
        while (offset < to) {
            if ((offset & 7) == 0 && offset + Long.BYTES <= to
                    && NativeMemory.getLong(address + offset) == word(key, offset >>> 3)) {
                offset += Long.BYTES;
            } else if (NativeMemory.getByte(address + offset) == byteAt(key, offset)) {
                offset++;
            } else {
                return offset;
            }
        }
        return -1;
    }

    /** One byte of the key. */
    public static byte byteAt(final long key, final int offset) {
        return (byte) (word(key, offset >>> 3) >>> ((offset & 7) << 3));
    }

    private static long word(final long key, final int index) {
        return mix(key + index * STEP);
    }

    private static long mix(final long value) {
        long bits = value;
        bits = (bits ^ bits >>> 30) * 0xbf58_476d_1ce4_e5b9L;
        bits = (bits ^ bits >>> 27) * 0x94d0_49bb_1331_11ebL;
        return bits ^ bits >>> 31;
    }
}
