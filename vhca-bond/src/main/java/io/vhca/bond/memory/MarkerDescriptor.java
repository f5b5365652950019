package io.vhca.bond.memory;

import io.vhca.api.NativeMemory;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.Locale;

/**
 * What stands before and behind each part of a {@link NativeBlock}; it reads as text in a hexdump:
 *
 * <pre>
 *    0  vSQ 000012          which part, and the number of its owner
 *   16  BEGIN               or END
 *   24  size of the part, 64 bits
 *   32  address of the part, 64 bits
 *   40  bond0               whose it is
 *   56  check over all of it, 64 bits
 * </pre>
 */
public final class MarkerDescriptor {
    static final int TITLE_OFFSET = 0;
    static final int TITLE_BYTES = 16;
    static final int END_OFFSET = TITLE_OFFSET + TITLE_BYTES;
    static final int SIZE_OFFSET = END_OFFSET + Long.BYTES;
    static final int ADDRESS_OFFSET = SIZE_OFFSET + Long.BYTES;
    static final int OWNER_OFFSET = ADDRESS_OFFSET + Long.BYTES;
    static final int OWNER_BYTES = 16;
    static final int CHECK_OFFSET = OWNER_OFFSET + OWNER_BYTES;
    /** A line of the cache, as the parts begin with one. */
    static final int SIZE = CHECK_OFFSET + Long.BYTES;

    private static final long BEGIN = text("BEGIN   ");
    private static final long END = text("END     ");
    private static final long MULTIPLIER = 0x9E37_79B9_7F4A_7C15L;

    static {
        if (SIZE != 64) {
            throw new ExceptionInInitializerError("a marker has " + SIZE + " bytes");
        }
    }

    private MarkerDescriptor() {}

    private static long text(final String eight) {
        long value = 0;
        for (int i = 0; i < Long.BYTES; i++) {
            value |= (long) eight.charAt(i) << i * Byte.SIZE;
        }
        return value;
    }

    /** Writes the marker before a part, or that behind it. */
    static void write(
            final long marker, final boolean isEnd, final String tag, final int number, final String owner,
            final long part, final long partBytes) {
        put(marker + TITLE_OFFSET, TITLE_BYTES, tag + String.format(Locale.ROOT, " %06x", number));
        NativeMemory.putLong(marker + END_OFFSET, isEnd ? END : BEGIN);
        NativeMemory.putLong(marker + SIZE_OFFSET, partBytes);
        NativeMemory.putLong(marker + ADDRESS_OFFSET, part);
        put(marker + OWNER_OFFSET, OWNER_BYTES, owner);
        NativeMemory.putLong(marker + CHECK_OFFSET, check(marker));
    }

    /** The bytes of a marker that is whole, of a block that is not this process's. */
    public static byte[] bytes(
            final boolean isEnd, final String tag, final int number, final String owner, final long part,
            final long partBytes) {
        try (Arena arena = Arena.ofConfined()) {
            final MemorySegment marker = arena.allocate(SIZE, Long.BYTES);
            write(marker.address(), isEnd, tag, number, owner, part, partBytes);
            return marker.toArray(ValueLayout.JAVA_BYTE);
        }
    }

    private static void put(final long address, final int bytes, final String text) {
        final byte[] letters = text.getBytes(StandardCharsets.US_ASCII);
        for (int i = 0; i < bytes; i++) {
            NativeMemory.putByte(address + i, i < letters.length ? letters[i] : (byte) ' ');
        }
    }

    private static long check(final long marker) {
        long check = MULTIPLIER;
        for (int offset = 0; offset < CHECK_OFFSET; offset += Long.BYTES) {
            check = (check ^ NativeMemory.getLong(marker + offset)) * MULTIPLIER;
            check ^= check >>> Integer.SIZE;
        }
        return check;
    }

    /** Whether it stands as it was written. */
    static boolean isWhole(final long marker, final boolean isEnd, final long part, final long partBytes) {
        return NativeMemory.getLong(marker + END_OFFSET) == (isEnd ? END : BEGIN)
                && NativeMemory.getLong(marker + SIZE_OFFSET) == partBytes
                && NativeMemory.getLong(marker + ADDRESS_OFFSET) == part
                && NativeMemory.getLong(marker + CHECK_OFFSET) == check(marker);
    }
}
