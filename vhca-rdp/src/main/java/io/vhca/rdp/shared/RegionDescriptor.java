package io.vhca.rdp.shared;

import org.agrona.BitUtil;
import org.agrona.concurrent.ringbuffer.RingBufferDescriptor;

/**
 * The memory that a driver shares with one client.
 *
 * <pre>
 *   0           64          128         4096          8192               598016          598016 + R
 *  +-----------+-----------+-----------+-------------+------------------+---------------+---------------+
 *  | magic,    | driver    | client    | ready bits, | datagrams, a     | calls, a ring | answers, a    |
 *  | version   | sleeps    | sleeps    | a word a    | slot a socket    | of R bytes    | ring of R     |
 *  |           |           |           | socket      |                  |               | bytes         |
 *  +-----------+-----------+-----------+-------------+------------------+---------------+---------------+
 * </pre>
 *
 * A slot is where the driver leaves a short datagram of a socket before the client asks for it. Its first word is 0
 * where there is none: the driver alone writes it then, and last; the client alone writes the 0.
 *
 * <pre>
 *   0            4        8               12             28       64                        576
 *  +------------+--------+---------------+--------------+--------+-------------------------+
 *  | length + 1 | port   | address bytes | address      |        | datagram                |
 *  +------------+--------+---------------+--------------+--------+-------------------------+
 * </pre>
 */
final class RegionDescriptor {
    static final long MAGIC = 0x7648_4341_5244_5003L;
    /** Sockets of one client. */
    static final int MOST_SOCKETS = 1_024;

    /** Of a slot. */
    static final int SLOT_STATE_OFFSET = 0;
    static final int SLOT_PORT_OFFSET = SLOT_STATE_OFFSET + Integer.BYTES;
    static final int SLOT_ADDRESS_BYTES_OFFSET = SLOT_PORT_OFFSET + Integer.BYTES;
    static final int SLOT_ADDRESS_OFFSET = SLOT_ADDRESS_BYTES_OFFSET + Integer.BYTES;
    static final int SLOT_DATA_OFFSET = BitUtil.CACHE_LINE_LENGTH;
    /** No longer datagram is left there. */
    static final int SLOT_MOST_BYTES = 512;

    static final int SLOT_SIZE = SLOT_DATA_OFFSET + SLOT_MOST_BYTES;

    /** Its state where there is no datagram. */
    static final int SLOT_EMPTY = 0;

    static final int MAGIC_OFFSET = 0;
    static final int DRIVER_SLEEPS_OFFSET = MAGIC_OFFSET + BitUtil.CACHE_LINE_LENGTH;
    static final int CLIENT_SLEEPS_OFFSET = DRIVER_SLEEPS_OFFSET + BitUtil.CACHE_LINE_LENGTH;
    static final int READY_OFFSET = 4_096;
    static final int SLOTS_OFFSET = READY_OFFSET + MOST_SOCKETS * Integer.BYTES;
    static final int CALLS_OFFSET = SLOTS_OFFSET + MOST_SOCKETS * SLOT_SIZE;

    /** What stands in the words of who sleeps: it is woken by a byte over the Unix domain socket. */
    static final int BY_BYTE = 1;
    /** It sleeps at the word itself (futex(2)), of the client's alone. */
    static final int BY_WORD = 2;
    /** The client's word has how often it was woken above these. */
    static final int HOWS = BY_BYTE | BY_WORD;

    private static final int LEAST_RING = 1 << 16;
    private static final int MOST_RING = 1 << 26;
    /** Of a ring of Agrona's, one message may have this part at most. */
    private static final int SHARE_OF_MESSAGE = 8;

    static {
        assert SLOTS_OFFSET == 8_192 && CALLS_OFFSET == 598_016 : "the picture";
        assert SLOT_ADDRESS_OFFSET + CallDescriptor.MOST_ADDRESS_BYTES <= SLOT_DATA_OFFSET && SLOT_SIZE == 576
                : "the picture";
    }

    private RegionDescriptor() {}

    /** Bytes of each ring, without its trailer, so that a datagram of that length fits. */
    static int ringBytes(final int longestDatagram) {
        final long wanted = SHARE_OF_MESSAGE * ((long) longestDatagram + CallDescriptor.SIZE + AnswerDescriptor.SIZE);
        return BitUtil.findNextPositivePowerOfTwo(Math.clamp(wanted, LEAST_RING, MOST_RING));
    }

    /** The longest datagram that fits into rings of so many bytes. */
    static int longestDatagram(final int ringBytes) {
        return ringBytes / SHARE_OF_MESSAGE - CallDescriptor.SIZE - AnswerDescriptor.SIZE;
    }

    /** The longest message of a ring, which is what Agrona writes. */
    static int longestMessage(final int ringBytes) {
        return ringBytes / SHARE_OF_MESSAGE;
    }

    /** Whether a driver can have made rings of so many bytes. */
    static boolean isRing(final int bytes) {
        return bytes >= LEAST_RING && bytes <= MOST_RING && BitUtil.isPowerOfTwo(bytes);
    }

    /** Bytes of each ring with its trailer. */
    static int wholeRing(final int ringBytes) {
        return ringBytes + RingBufferDescriptor.TRAILER_LENGTH;
    }

    static int size(final int ringBytes) {
        return CALLS_OFFSET + 2 * wholeRing(ringBytes);
    }
}
