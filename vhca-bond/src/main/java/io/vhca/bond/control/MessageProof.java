package io.vhca.bond.control;

import io.vhca.bond.link.QpIdentity;
import io.vhca.recovery.proof.AuthKey;
import io.vhca.recovery.proof.AuthKey.Purpose;
import io.vhca.recovery.wire.SessionId;
import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * Signs the messages of one {@link ControlLink} of bonds that have a key, by the link's session, which both have made
 * of the key. A count and a proof follow each message; nothing is taken whose count is not higher than the last one's.
 *
 * <pre>
 *   0         length   +8      +24
 *   | message | count  | proof |
 * </pre>
 *
 * Control lock.
 */
final class MessageProof {
    /** What follows a message. */
    static final int SIZE = Long.BYTES + AuthKey.PROOF_SIZE;

    private final AuthKey key;
    private final byte side;
    private long sent;
    private long taken;

    /**
     * For one end of a link.
     *
     * @param side 0 for the end that made the connection, 1 for the other: no message is the answer to itself
     */
    MessageProof(final SessionId session, final int side) {
        key = AuthKey.of(session);
        this.side = (byte) side;
    }

    /** For the end that has a vQP of that identity. */
    static MessageProof of(final QpIdentity identity) {
        return new MessageProof(identity.session(), identity.side());
    }

    /** The next message, signed; {@link #sent} counts it. */
    byte[] sign(final byte[] message) {
        final byte[] count = count(sent + 1);
        final byte[] proof = key.sign(Purpose.MESSAGE, new byte[] {side}, count, message);
        return ByteBuffer.allocate(message.length + SIZE).put(message).put(count).put(proof).array();
    }

    /** What was signed last is on its way. */
    void sent() {
        sent++;
    }

    /** Whether a message is the peer's, and none that was taken before. */
    boolean takes(final byte[] signed) {
        final int length = signed.length - SIZE;
        if (length < ControlMessageDescriptor.BODY_OFFSET) {
            return false;
        }
        final byte[] message = Arrays.copyOf(signed, length);
        final byte[] count = Arrays.copyOfRange(signed, length, length + Long.BYTES);
        final byte[] proof = Arrays.copyOfRange(signed, length + Long.BYTES, signed.length);
        final long number = ByteBuffer.wrap(count).getLong();
        final byte[] peers = {(byte) (1 - side)};
        if (number <= taken || !key.verifies(proof, Purpose.MESSAGE, peers, count, message)) {
            return false;
        }
        taken = number;
        return true;
    }

    /** How messages name a session; nobody learns it from that. */
    SessionId shown(final SessionId session) {
        return key.session(Purpose.SHOWN_SESSION, AuthKey.bytes(session));
    }

    private static byte[] count(final long number) {
        return ByteBuffer.allocate(Long.BYTES).putLong(number).array();
    }
}
