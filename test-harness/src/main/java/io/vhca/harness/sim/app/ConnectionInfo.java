package io.vhca.harness.sim.app;

import io.vhca.harness.sim.check.PeerMemory;
import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * What the simulated applications tell each other in the private data of connect and accept.
 *
 * <pre>
 *   0       2           3         4      8                16            20                    28
 *   | magic | qp index  | attempt | rkey | region address | rkey of the | address of the word | ... padding
 *                                                           common word
 * </pre>
 *
 * @param qpIndex which connection of the scenario
 * @param attempt 0 for the first try
 */
record ConnectionInfo(int qpIndex, int attempt, int rkey, long regionAddress, int commonRkey, long commonAddress) {
    static final int SIZE = 28;

    /** Without the common word: as much as a bond with a key leaves in a REQ. The word is told by other ways then. */
    static final int SHORT_SIZE = 16;

    /** Private data that an application has left on a bond, whose own header is in front. */
    static final int MAX_SIZE = 32;

    private static final short MAGIC = 0x5631;

    /** The word behind the region that atomics of this connection alone address. */
    long wordAddress(final int regionBytes) {
        return PeerMemory.wordAddress(regionAddress, regionBytes);
    }

    /** The bytes, padded to a length of {@link #SIZE} .. {@link #MAX_SIZE}; or {@link #SHORT_SIZE} of them. */
    byte[] encode(final int lengthBytes) {
        final ByteBuffer all = ByteBuffer.allocate(MAX_SIZE)
                .putShort(MAGIC)
                .put((byte) qpIndex)
                .put((byte) attempt)
                .putInt(rkey)
                .putLong(regionAddress)
                .putInt(commonRkey)
                .putLong(commonAddress);
        return Arrays.copyOf(all.array(), lengthBytes);
    }

    /**
     * Reads it.
     *
     * @param word the common word, for where there was no room for it
     * @throws IllegalArgumentException when it is not what {@link #encode} wrote
     */
    static ConnectionInfo decode(final byte[] privateData, final PeerMemory.Word word) {
        if (privateData.length == SHORT_SIZE) {
            return decode(
                    ByteBuffer.allocate(SIZE).put(privateData).putInt(word.rkey()).putLong(word.address()).array(),
                    word);
        }
        if (privateData.length < SIZE) {
            throw new IllegalArgumentException(privateData.length + " bytes of private data, " + SIZE + " were sent");
        }
        final ByteBuffer buffer = ByteBuffer.wrap(privateData);
        final short magic = buffer.getShort();
        if (magic != MAGIC) {
            throw new IllegalArgumentException("private data begins with 0x" + Integer.toHexString(magic & 0xffff));
        }
        return new ConnectionInfo(
                buffer.get(), buffer.get(), buffer.getInt(), buffer.getLong(), buffer.getInt(), buffer.getLong());
    }
}
