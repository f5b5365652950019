package io.vhca.recovery.wire;

import static io.vhca.recovery.wire.PrefixDescriptor.ORDER;

import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;

/**
 * Layout of a {@link SessionId} inside a record.
 *
 * <pre>
 *   0    8    16
 *   | hi | lo |
 * </pre>
 */
final class SessionIdDescriptor {
    static final int HI_OFFSET = 0;
    static final int LO_OFFSET = HI_OFFSET + Long.BYTES;

    /** Bytes of it. */
    static final int SIZE = LO_OFFSET + Long.BYTES;

    private SessionIdDescriptor() {}

    static void encode(final MutableDirectBuffer buffer, final int offset, final SessionId session) {
        buffer.putLong(offset + HI_OFFSET, session.hi(), ORDER);
        buffer.putLong(offset + LO_OFFSET, session.lo(), ORDER);
    }

    static SessionId decode(final DirectBuffer buffer, final int offset) {
        return new SessionId(buffer.getLong(offset + HI_OFFSET, ORDER), buffer.getLong(offset + LO_OFFSET, ORDER));
    }
}
