package io.vhca.recovery.wire;

import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Locale;

/**
 * Names one connection between two bonds for its whole life, across any number of failovers (128 bit).
 *
 * @param hi the instance id of the bond that initiated the first connect: a new one for each start of the process
 * @param lo random, drawn for each connection
 */
public record SessionId(long hi, long lo) {
    /** No session: both halves zero. */
    public static final SessionId NONE = new SessionId(0, 0);

    /** Whether another shows the same session; as long for any that does not. */
    public boolean isShownBy(final SessionId other) {
        return (hi ^ other.hi | lo ^ other.lo) == 0;
    }

    /**
     * What of it may be shown: the same at both ends, and of no use to who would speak in its name. The first bytes of
     * its SHA-256.
     */
    public int tag() {
        try {
            final byte[] id = ByteBuffer.allocate(2 * Long.BYTES).putLong(hi).putLong(lo).array();
            return ByteBuffer.wrap(MessageDigest.getInstance("SHA-256").digest(id)).getInt();
        } catch (final NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has SHA-256", e);
        }
    }

    /** Its {@link #tag}: who knows the id may command the session, so no log and no message has it. */
    @Override
    public String toString() {
        return String.format(Locale.ROOT, "%08x", tag());
    }
}
