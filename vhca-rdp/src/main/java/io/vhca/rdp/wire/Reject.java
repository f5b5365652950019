package io.vhca.rdp.wire;

import java.net.InetAddress;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Why a connection is refused, and by whom; {@link HelloDescriptor} has the layout.
 *
 * @param name by which others know the node that refuses; null where it does not say
 */
public record Reject(Reason reason, @Nullable InetAddress name) {
    /** Why a connection is refused. */
    public enum Reason {
        /** Not a driver of this protocol and version. */
        FOREIGN(1),
        /** Both ends called at once; the other call goes on. */
        COLLISION(2),
        /** The size classes of the two ends differ. */
        SIZES_DIFFER(3),
        /** The driver has all nodes that it can have. */
        FULL(4),
        /** Who called asked for the name, and is connected by it; or his session there is one that he has given up. */
        NAMED(5),
        /** A code that this version does not know. */
        UNKNOWN(0);

        private final int code;

        Reason(final int code) {
            this.code = code;
        }

        public int code() {
            return code;
        }

        static Reason fromCode(final int code) {
            for (final Reason reason : values()) {
                if (reason.code == code) {
                    return reason;
                }
            }
            return UNKNOWN;
        }
    }

    public byte[] encode() {
        final ByteBuffer buffer = ByteBuffer.allocate(HelloDescriptor.REJECT_SIZE);
        buffer.putShort(HelloDescriptor.MAGIC_OFFSET, MessageDescriptor.MAGIC);
        buffer.put(HelloDescriptor.VERSION_OFFSET, MessageDescriptor.VERSION);
        buffer.put(HelloDescriptor.REASON_OFFSET, (byte) reason.code());
        if (name != null) {
            Hello.putAddress(buffer, HelloDescriptor.NAME_OFFSET, name);
        }
        return buffer.array();
    }

    /** Reads foreign bytes, which may end before the name, or have zeros there. */
    public static Reject decode(final byte[] bytes) {
        if (bytes.length < HelloDescriptor.NAME_OFFSET || !Hello.isOurs(bytes)) {
            return new Reject(Reason.UNKNOWN, null);
        }
        final InetAddress name = bytes.length < HelloDescriptor.REJECT_SIZE
                ? null
                : Hello.getAddress(ByteBuffer.wrap(bytes), HelloDescriptor.NAME_OFFSET);
        return new Reject(
                Reason.fromCode(bytes[HelloDescriptor.REASON_OFFSET]),
                name == null || name.isAnyLocalAddress() ? null : name);
    }
}
