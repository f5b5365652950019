package io.vhca.harness.drill.child;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;

/** The datagrams of a drill: what is in one, and how long it is, follows from its socket's and its own number. */
final class RdpDatagram {
    /** Three segments of the largest size class. */
    static final int LONGEST = 72 << 10;

    private static final int HEADER_BYTES = 2 * Integer.BYTES;
    private static final int SHORT = 400;
    private static final int MIDDLE = 9_000;

    private RdpDatagram() {}

    /** Memory for one. */
    static ByteBuffer buffer() {
        return ByteBuffer.allocateDirect(LONGEST);
    }

    /** Writes one; it is what is between position and limit then. Most are short, and all size classes are used. */
    static void write(final ByteBuffer into, final int socket, final int number) {
        final int most = number % 64 == 63 ? LONGEST : number % 8 == 7 ? MIDDLE : SHORT;
        final int drawn = (int) ((socket * 31L + number) * 0x2545_F491_4F6C_DD1DL >>> 33);
        final int payload = drawn % (most - HEADER_BYTES);
        into.clear().limit(HEADER_BYTES + payload).putInt(socket).putInt(number);
        ExsStream.fill(address(into), payload, from(socket, number));
        into.rewind();
    }

    /** Whether what is between position and limit is the datagram with those numbers, to the last byte. */
    static boolean isRight(final ByteBuffer datagram, final int socket, final int number) {
        return datagram.remaining() >= HEADER_BYTES
                && datagram.getInt(0) == socket
                && datagram.getInt(Integer.BYTES) == number
                && ExsStream.isRight(
                        address(datagram), datagram.remaining() - HEADER_BYTES, from(socket, number));
    }

    private static long address(final ByteBuffer datagram) {
        return MemorySegment.ofBuffer(datagram.duplicate().clear()).address() + HEADER_BYTES;
    }

    private static long from(final int socket, final int number) {
        return (long) socket << 40 | (long) number << 17;
    }
}
