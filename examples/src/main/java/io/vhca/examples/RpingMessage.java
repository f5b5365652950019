package io.vhca.examples;

import java.nio.ByteBuffer;

/**
 * What the ends of an rping tell each other by SEND, big-endian.
 *
 * <pre>
 *   0      4                12     16       20
 *   | kind | address       | rkey | length |
 * </pre>
 */
record RpingMessage(Kind kind, long address, int rkey, int lengthBytes) {
    /** What is meant. */
    enum Kind {
        /** READ the text from here. */
        SOURCE,
        /** The text was read. */
        READ_DONE,
        /** WRITE the text to here. */
        SINK,
        /** The text was written. */
        WRITE_DONE,
        /** That was the last ping. */
        BYE
    }

    private static final int SIZE = 20;

    static RpingMessage of(final Kind kind) {
        return new RpingMessage(kind, 0, 0, 0);
    }

    byte[] encode() {
        return ByteBuffer.allocate(SIZE)
                .putInt(kind.ordinal())
                .putLong(address)
                .putInt(rkey)
                .putInt(lengthBytes)
                .array();
    }

    /** @throws IllegalArgumentException when the bytes are none of ours */
    static RpingMessage decode(final byte[] bytes) {
        final ByteBuffer buffer = ByteBuffer.wrap(bytes);
        final int kind = bytes.length == SIZE ? buffer.getInt() : -1;
        if (kind < 0 || kind >= Kind.values().length) {
            throw new IllegalArgumentException("the peer sent " + bytes.length + " bytes that are no rping message");
        }
        return new RpingMessage(Kind.values()[kind], buffer.getLong(), buffer.getInt(), buffer.getInt());
    }

    /** Decodes and insists on a kind. */
    static RpingMessage expect(final byte[] bytes, final Kind wanted) {
        final RpingMessage message = decode(bytes);
        if (message.kind != wanted) {
            throw new IllegalStateException("the peer said " + message.kind + " instead of " + wanted);
        }
        return message;
    }
}
