package io.vhca.examples;

import io.vhca.api.Errno;
import io.vhca.api.VerbsException;
import java.nio.ByteBuffer;

/**
 * What the ends of an rping tell each other by SEND, big-endian, as rping(1) has it: from the client a buffer of its
 * own, to be read first and then to be written; from the server only that it is done, the content meaning nothing.
 *
 * <pre>
 *   0         8      12       16
 *   | address | rkey | length |
 * </pre>
 */
record RpingMessage(long address, int rkey, int lengthBytes) {
    /** What the server sends. */
    static final RpingMessage DONE = new RpingMessage(0, 0, 0);

    private static final int SIZE = 16;

    byte[] encode() {
        return ByteBuffer.allocate(SIZE)
                .putLong(address)
                .putInt(rkey)
                .putInt(lengthBytes)
                .array();
    }

    /** @throws VerbsException EPROTO when the bytes are none of ours */
    static RpingMessage decode(final byte[] bytes) {
        if (bytes.length != SIZE) {
            throw new VerbsException(
                    "rping", Errno.EPROTO, "peer", "it sent " + bytes.length + " bytes that are no rping message");
        }
        final ByteBuffer buffer = ByteBuffer.wrap(bytes);
        return new RpingMessage(buffer.getLong(), buffer.getInt(), buffer.getInt());
    }
}
