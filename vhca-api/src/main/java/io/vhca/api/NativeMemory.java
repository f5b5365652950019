package io.vhca.api;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * Reads and writes native memory at raw addresses, in the machine's own byte order, with no alignment demanded.
 *
 * <p>Work requests, SGEs and completions are C structs linked by raw pointers ({@code next}, {@code sg_list}); this is
 * the one door through which such pointers are followed. Nothing here checks that an address is mapped: the caller owns
 * the memory and keeps it alive, a stale address crashes the JVM. Any thread; no ordering is implied.
 */
public final class NativeMemory {
    private static final MemorySegment ALL = MemorySegment.NULL.reinterpret(Long.MAX_VALUE);

    private NativeMemory() {}

    public static byte getByte(final long address) {
        return ALL.get(ValueLayout.JAVA_BYTE, address);
    }

    public static void putByte(final long address, final byte value) {
        ALL.set(ValueLayout.JAVA_BYTE, address, value);
    }

    public static short getShort(final long address) {
        return ALL.get(ValueLayout.JAVA_SHORT_UNALIGNED, address);
    }

    public static void putShort(final long address, final short value) {
        ALL.set(ValueLayout.JAVA_SHORT_UNALIGNED, address, value);
    }

    public static int getInt(final long address) {
        return ALL.get(ValueLayout.JAVA_INT_UNALIGNED, address);
    }

    public static void putInt(final long address, final int value) {
        ALL.set(ValueLayout.JAVA_INT_UNALIGNED, address, value);
    }

    public static long getLong(final long address) {
        return ALL.get(ValueLayout.JAVA_LONG_UNALIGNED, address);
    }

    public static void putLong(final long address, final long value) {
        ALL.set(ValueLayout.JAVA_LONG_UNALIGNED, address, value);
    }

    /** Copies {@code lengthBytes} bytes; the ranges may overlap ({@code memmove}). */
    public static void copy(final long fromAddress, final long toAddress, final long lengthBytes) {
        MemorySegment.copy(ALL, fromAddress, ALL, toAddress, lengthBytes);
    }

    /** Fills {@code lengthBytes} bytes with {@code value} ({@code memset}). */
    public static void fill(final long address, final long lengthBytes, final byte value) {
        ALL.asSlice(address, lengthBytes).fill(value);
    }

    /**
     * A view of native memory as a segment of the global scope: it does not keep the memory alive and is never closed.
     * Allocates; for the control path.
     */
    public static MemorySegment segment(final long address, final long lengthBytes) {
        return ALL.asSlice(address, lengthBytes);
    }
}
