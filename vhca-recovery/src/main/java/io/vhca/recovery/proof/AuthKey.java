package io.vhca.recovery.proof;

import io.vhca.recovery.wire.SessionId;
import java.nio.ByteBuffer;
import java.security.InvalidKeyException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * A key that two bonds have in common: HMAC-SHA-256, cut to its first {@link #PROOF_SIZE} bytes.
 *
 * <p>Not thread-safe: it keeps the state of one cipher, so that a signature allocates little. The control lock of the
 * bond guards it.
 */
public final class AuthKey {
    /** Bytes of a key in a key file. */
    public static final int SIZE = 32;

    /** Bytes of a signature. */
    public static final int PROOF_SIZE = 16;

    private static final String ALGORITHM = "HmacSHA256";

    private final Mac mac;

    /** What is signed; it comes first, so that a signature of one kind is none of another. */
    public enum Purpose {
        /** A REQ. */
        QUESTION,
        /** A REP or a REJ of who knows the session. */
        ANSWER,
        /** A REJ of who does not. */
        STRANGERS_ANSWER,
        /** A session, which only its two bonds can make. */
        SESSION,
        /** What a bond tells another to sign with, so that its REQs are for that bond and no older than it. */
        NONCE,
        /** A message over the bonds' own connection. */
        MESSAGE,
        /** How such a message names a session. */
        SHOWN_SESSION
    }

    /**
     * A key of any length; a session's key has the session's 16 bytes, one of a file {@link #SIZE}.
     *
     * @throws IllegalArgumentException for an empty one
     */
    public AuthKey(final byte[] secret) {
        try {
            mac = Mac.getInstance(ALGORITHM);
            mac.init(new SecretKeySpec(secret, ALGORITHM));
        } catch (final NoSuchAlgorithmException | InvalidKeyException e) {
            throw new IllegalStateException("every Java has " + ALGORITHM, e);
        }
    }

    /** The key of one session, for all that its two bonds say over it. */
    public static AuthKey of(final SessionId session) {
        return new AuthKey(bytes(session));
    }

    /** A signature of the parts, in that order; each is signed with its length. */
    public byte[] sign(final Purpose purpose, final byte[]... parts) {
        int size = 1;
        for (final byte[] part : parts) {
            size += Short.BYTES + part.length;
        }
        final ByteBuffer all = ByteBuffer.allocate(size).put((byte) purpose.ordinal());
        for (final byte[] part : parts) {
            all.putShort((short) part.length).put(part);
        }
        return Arrays.copyOf(mac.doFinal(all.array()), PROOF_SIZE); // one call: many small ones cost more than the hash
    }

    /** Signs, and compares in a time that does not tell how much of it was right. */
    public boolean verifies(final byte[] proof, final Purpose purpose, final byte[]... parts) {
        final byte[] right = sign(purpose, parts);
        return proof.length > 0
                && proof.length <= right.length
                && MessageDigest.isEqual(proof, Arrays.copyOf(right, proof.length));
    }

    /** A session that is made of this key and what both ends know; nobody without the key can tell it. */
    public SessionId session(final Purpose purpose, final byte[]... parts) {
        final ByteBuffer made = ByteBuffer.wrap(sign(purpose, parts));
        return new SessionId(made.getLong(), made.getLong());
    }

    /** The bytes of a session, as they are signed. */
    public static byte[] bytes(final SessionId session) {
        return ByteBuffer.allocate(2 * Long.BYTES).putLong(session.hi()).putLong(session.lo()).array();
    }
}
