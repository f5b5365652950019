package io.vhca.exs.wire;

import io.vhca.api.NativeMemory;

/**
 * The header of every message between two sockets, big-endian; the data of a DATA message follows it, or the further
 * receives that a DIRECT tells of.
 *
 * <pre>
 *   0      1       2               4                  6              8         12       16
 *   | type | flags | data credits  | control credits  | data length  | number  | acked  |
 *   16                      24                     32      36     40
 *   | address               | length               | key   | seen | data ...
 * </pre>
 *
 * <p>{@code data credits} and {@code control credits} give back what the receiver of the message has sent so far and
 * its peer has used up. {@code number} counts the messages of a direction from 0, {@code acked} the adverts that were
 * read to their end, {@code seen} the DATA and ADVERT messages that the sender of a DIRECT had seen. Fields that a
 * type does not use are 0.
 *
 * <pre>
 *   each further receive of a DIRECT, which data length counts:
 *   0                       8                      16    20      24
 *   | address               | length               | key | flags |
 * </pre>
 */
public final class MessageDescriptor {
    /** Data travels in the message. */
    public static final int DATA = 1;

    /** Memory that the receiver may READ. */
    public static final int ADVERT = 2;

    /** Credits and acknowledgements, nothing else. */
    public static final int ACK = 3;

    /** Receives that the peer may WRITE into. */
    public static final int DIRECT = 4;

    /** Nothing more will be sent. */
    public static final int FIN = 5;

    /** Flag of DATA and ADVERT: the message of a SEQPACKET socket goes on in the next one. */
    public static final int MORE = 1;

    /** Flag of DIRECT: the receive is complete only when it is full. */
    public static final int WAIT_ALL = 2;

    public static final int TYPE_OFFSET = 0;
    public static final int FLAGS_OFFSET = TYPE_OFFSET + Byte.BYTES;
    public static final int DATA_CREDITS_OFFSET = FLAGS_OFFSET + Byte.BYTES;
    public static final int CONTROL_CREDITS_OFFSET = DATA_CREDITS_OFFSET + Short.BYTES;
    public static final int DATA_LENGTH_OFFSET = CONTROL_CREDITS_OFFSET + Short.BYTES;
    public static final int NUMBER_OFFSET = DATA_LENGTH_OFFSET + Short.BYTES;
    public static final int ACKED_OFFSET = NUMBER_OFFSET + Integer.BYTES;
    public static final int ADDRESS_OFFSET = ACKED_OFFSET + Integer.BYTES;
    public static final int LENGTH_OFFSET = ADDRESS_OFFSET + Long.BYTES;
    public static final int KEY_OFFSET = LENGTH_OFFSET + Long.BYTES;
    public static final int SEEN_OFFSET = KEY_OFFSET + Integer.BYTES;

    /** Where the data of a DATA message begins. */
    public static final int SIZE = SEEN_OFFSET + Integer.BYTES;

    /** Bytes of each receive of a DIRECT behind the first one. */
    public static final int RECEIVE_SIZE = Long.BYTES + Long.BYTES + Integer.BYTES + Integer.BYTES;

    private static final int RECEIVE_FLAGS_OFFSET = RECEIVE_SIZE - Integer.BYTES;

    /** Most data in one message: what {@code data length} can say. */
    public static final int MAX_DATA = 0xFFFF;

    static {
        if (SIZE != 40) {
            throw new ExceptionInInitializerError("a header is 40 bytes, not " + SIZE);
        }
        if (RECEIVE_SIZE != 24 || KEY_OFFSET - ADDRESS_OFFSET != RECEIVE_FLAGS_OFFSET - Integer.BYTES) {
            throw new ExceptionInInitializerError("memory is written alike in a header and behind it");
        }
    }

    private MessageDescriptor() {}

    /** Writes a header whose address, length, key and seen are 0. */
    public static void write(final long at, final int type, final int flags, final int dataLength, final int number) {
        NativeMemory.putByte(at + TYPE_OFFSET, (byte) type);
        NativeMemory.putByte(at + FLAGS_OFFSET, (byte) flags);
        putShort(at + DATA_LENGTH_OFFSET, dataLength);
        putInt(at + NUMBER_OFFSET, number);
        NativeMemory.putLong(at + ADDRESS_OFFSET, 0);
        NativeMemory.putLong(at + LENGTH_OFFSET, 0);
        NativeMemory.putInt(at + KEY_OFFSET, 0);
        NativeMemory.putInt(at + SEEN_OFFSET, 0);
    }

    /** Writes what every message gives back. */
    public static void writeReturns(final long at, final int dataCredits, final int controlCredits, final int acked) {
        putShort(at + DATA_CREDITS_OFFSET, dataCredits);
        putShort(at + CONTROL_CREDITS_OFFSET, controlCredits);
        putInt(at + ACKED_OFFSET, acked);
    }

    /** Writes the memory of an ADVERT or a DIRECT. */
    public static void writeMemory(final long at, final long address, final long length, final int key) {
        NativeMemory.putLong(at + ADDRESS_OFFSET, Long.reverseBytes(address));
        NativeMemory.putLong(at + LENGTH_OFFSET, Long.reverseBytes(length));
        putInt(at + KEY_OFFSET, key);
    }

    /** How many receives a DIRECT tells of. */
    public static int receives(final long at) {
        return 1 + dataLength(at) / RECEIVE_SIZE;
    }

    /** Writes a further receive of a DIRECT, from 1 on. */
    public static void writeReceive(
            final long at, final int receive, final long address, final long length, final int key, final int flags) {
        final long to = memoryAt(at, receive);
        writeMemory(to - ADDRESS_OFFSET, address, length, key);
        putInt(to + RECEIVE_FLAGS_OFFSET, flags);
    }

    /** Where the memory of a receive of a DIRECT is written; 0 is the one in the header. */
    private static long memoryAt(final long at, final int receive) {
        return receive == 0 ? at + ADDRESS_OFFSET : at + SIZE + (long) (receive - 1) * RECEIVE_SIZE;
    }

    /** Writes how many DATA and ADVERT messages the sender of a DIRECT has seen. */
    public static void writeSeen(final long at, final int seen) {
        putInt(at + SEEN_OFFSET, seen);
    }

    public static int type(final long at) {
        return NativeMemory.getByte(at + TYPE_OFFSET) & 0xFF;
    }

    public static int flags(final long at) {
        return NativeMemory.getByte(at + FLAGS_OFFSET) & 0xFF;
    }

    public static int dataCredits(final long at) {
        return getShort(at + DATA_CREDITS_OFFSET);
    }

    public static int controlCredits(final long at) {
        return getShort(at + CONTROL_CREDITS_OFFSET);
    }

    public static int dataLength(final long at) {
        return getShort(at + DATA_LENGTH_OFFSET);
    }

    public static int number(final long at) {
        return getInt(at + NUMBER_OFFSET);
    }

    public static int acked(final long at) {
        return getInt(at + ACKED_OFFSET);
    }

    public static long address(final long at) {
        return Long.reverseBytes(NativeMemory.getLong(at + ADDRESS_OFFSET));
    }

    public static long length(final long at) {
        return Long.reverseBytes(NativeMemory.getLong(at + LENGTH_OFFSET));
    }

    public static int key(final long at) {
        return getInt(at + KEY_OFFSET);
    }

    /** Address of a receive of a DIRECT; 0 is the one in the header. */
    public static long address(final long at, final int receive) {
        return address(memoryAt(at, receive) - ADDRESS_OFFSET);
    }

    /** Length of a receive of a DIRECT. */
    public static long length(final long at, final int receive) {
        return length(memoryAt(at, receive) - ADDRESS_OFFSET);
    }

    /** Key of a receive of a DIRECT. */
    public static int key(final long at, final int receive) {
        return key(memoryAt(at, receive) - ADDRESS_OFFSET);
    }

    /** Flags of a receive of a DIRECT. */
    public static int flags(final long at, final int receive) {
        return receive == 0 ? flags(at) : getInt(memoryAt(at, receive) + RECEIVE_FLAGS_OFFSET);
    }

    public static int seen(final long at) {
        return getInt(at + SEEN_OFFSET);
    }

    private static void putShort(final long at, final int value) {
        assert value >= 0 && value <= 0xFFFF : value;
        NativeMemory.putShort(at, Short.reverseBytes((short) value));
    }

    private static int getShort(final long at) {
        return Short.reverseBytes(NativeMemory.getShort(at)) & 0xFFFF;
    }

    private static void putInt(final long at, final int value) {
        NativeMemory.putInt(at, Integer.reverseBytes(value));
    }

    private static int getInt(final long at) {
        return Integer.reverseBytes(NativeMemory.getInt(at));
    }
}
