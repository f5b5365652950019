package io.vhca.harness.drill.child;

import io.vhca.api.NativeMemory;

/** The bytes of a stream that a socket carries beside the file: what stands at a place follows from the place alone. */
final class ExsStream {
    /** Bytes of a piece at most: short ones travel in messages, long ones are read or written. */
    static final int LONGEST = 1 << 18;

    private ExsStream() {}

    private static byte content(final long at) {
        return (byte) (at * 0x9E37_79B9_7F4A_7C15L >>> 40);
    }

    /** How long the piece with that number is: most are short. */
    static int length(final long number) {
        final long drawn = number * 0x2545_F491_4F6C_DD1DL >>> 33;
        return 1 + (int) (drawn % (number % 4 == 0 ? LONGEST : 400));
    }

    /** Writes what the stream has from {@code from} on. */
    static void fill(final long address, final int lengthBytes, final long from) {
        for (int i = 0; i < lengthBytes; i++) {
            NativeMemory.putByte(address + i, content(from + i));
        }
    }

    /** Whether that is what the stream has from {@code from} on: a byte lost, doubled or out of order is not. */
    static boolean isRight(final long address, final long lengthBytes, final long from) {
        for (long i = 0; i < lengthBytes; i++) {
            if (NativeMemory.getByte(address + i) != content(from + i)) {
                return false;
            }
        }
        return true;
    }
}
