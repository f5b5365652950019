package io.vhca.exs.wire;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.jspecify.annotations.Nullable;

/**
 * What a socket says of itself in the private data of connect, accept and reject, big-endian; grows at its end only.
 *
 * <pre>
 *   0                  4        5         6      7          8              10                12             16
 *   | magic 0x45585331 | oldest | newest  | type | receives | data credits | control credits | message size |
 * </pre>
 *
 * <p>A connect and a reject name the oldest and the newest version that is spoken; an accept names the one chosen,
 * twice. {@code receives} is how many one DIRECT may tell of; 0, which was reserved before, means one. The credits are
 * how many messages of each sort the peer may send before any is given back; a message has at most so many bytes,
 * header included. A REQ of a bond leaves 32 bytes to its user.
 */
public final class GreetingDescriptor {
    /** "EXS1". */
    public static final int MAGIC = 0x4558_5331;

    /** The version spoken here, the only one there is. */
    public static final int VERSION = 1;

    public static final int MAGIC_OFFSET = 0;
    public static final int OLDEST_OFFSET = MAGIC_OFFSET + Integer.BYTES;
    public static final int NEWEST_OFFSET = OLDEST_OFFSET + Byte.BYTES;
    public static final int TYPE_OFFSET = NEWEST_OFFSET + Byte.BYTES;
    public static final int RECEIVES_OFFSET = TYPE_OFFSET + Byte.BYTES;
    public static final int DATA_CREDITS_OFFSET = RECEIVES_OFFSET + Byte.BYTES;
    public static final int CONTROL_CREDITS_OFFSET = DATA_CREDITS_OFFSET + Short.BYTES;
    public static final int MESSAGE_SIZE_OFFSET = CONTROL_CREDITS_OFFSET + Short.BYTES;
    public static final int SIZE = MESSAGE_SIZE_OFFSET + Integer.BYTES;

    static {
        if (SIZE != 16) {
            throw new ExceptionInInitializerError("a greeting is 16 bytes, not " + SIZE);
        }
    }

    private GreetingDescriptor() {}

    /** A greeting as private data. */
    public static byte[] encode(final Greeting greeting) {
        return ByteBuffer.allocate(SIZE)
                .order(ByteOrder.BIG_ENDIAN)
                .putInt(MAGIC_OFFSET, MAGIC)
                .put(OLDEST_OFFSET, (byte) greeting.oldest())
                .put(NEWEST_OFFSET, (byte) greeting.newest())
                .put(TYPE_OFFSET, (byte) greeting.type())
                .put(RECEIVES_OFFSET, (byte) greeting.receives())
                .putShort(DATA_CREDITS_OFFSET, (short) greeting.dataCredits())
                .putShort(CONTROL_CREDITS_OFFSET, (short) greeting.controlCredits())
                .putInt(MESSAGE_SIZE_OFFSET, greeting.messageSize())
                .array();
    }

    /** Reads foreign bytes; null where they are no greeting. Says nothing of the versions and numbers in it. */
    public static @Nullable Greeting decode(final byte[] bytes) {
        if (bytes.length < SIZE) {
            return null;
        }
        final ByteBuffer buffer = ByteBuffer.wrap(bytes).order(ByteOrder.BIG_ENDIAN);
        if (buffer.getInt(MAGIC_OFFSET) != MAGIC) {
            return null;
        }
        return new Greeting(
                buffer.get(OLDEST_OFFSET) & 0xFF,
                buffer.get(NEWEST_OFFSET) & 0xFF,
                buffer.get(TYPE_OFFSET) & 0xFF,
                Math.max(1, buffer.get(RECEIVES_OFFSET) & 0xFF),
                buffer.getShort(DATA_CREDITS_OFFSET) & 0xFFFF,
                buffer.getShort(CONTROL_CREDITS_OFFSET) & 0xFFFF,
                buffer.getInt(MESSAGE_SIZE_OFFSET));
    }
}
