package io.vhca.rdp.wire;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * What one end of a connection says of itself; {@link HelloDescriptor} has the layout.
 *
 * @param laneIndex      which size class the connection is for, from 0
 * @param lanes          how many size classes there are
 * @param payloadBytes   the largest payload of the class, a power of two
 * @param credits        receives for data that this end keeps posted
 * @param controlCredits receives for control messages, on the connection of the smallest class
 * @param session        chosen by who connects, the same on all connections that he makes together
 * @param address        by which others know this node
 * @param readsBatches   whether short datagrams may come together
 */
public record Hello(
        int laneIndex, int lanes, int payloadBytes, int credits, int controlCredits, int session,
        InetAddress address, boolean readsBatches) {
    private static final int IPV4_SIZE = 4;
    private static final int IPV4_AT = HelloDescriptor.ADDRESS_SIZE - IPV4_SIZE;
    private static final int MOST_SHIFT = 24;

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
        final ByteBuffer buffer = ByteBuffer.allocate(HelloDescriptor.SIZE);
        buffer.putShort(HelloDescriptor.MAGIC_OFFSET, MessageDescriptor.MAGIC);
        buffer.put(HelloDescriptor.VERSION_OFFSET, MessageDescriptor.VERSION);
        buffer.put(HelloDescriptor.CLASS_OFFSET, (byte) laneIndex);
        buffer.put(HelloDescriptor.CLASSES_OFFSET, (byte) lanes);
        buffer.put(HelloDescriptor.SIZE_SHIFT_OFFSET, (byte) Integer.numberOfTrailingZeros(payloadBytes));
        buffer.putShort(HelloDescriptor.CREDITS_OFFSET, (short) credits);
        buffer.putInt(HelloDescriptor.SESSION_OFFSET, session);
        buffer.putShort(HelloDescriptor.CONTROL_CREDITS_OFFSET, (short) controlCredits);
        buffer.putShort(
                HelloDescriptor.FEATURES_OFFSET, (short) (readsBatches ? HelloDescriptor.READS_BATCHES : 0));
        final byte[] raw = address.getAddress();
        if (raw.length == IPV4_SIZE) {
            buffer.putShort(HelloDescriptor.ADDRESS_OFFSET + IPV4_AT - Short.BYTES, (short) -1);
            buffer.put(HelloDescriptor.ADDRESS_OFFSET + IPV4_AT, raw);
        } else {
            buffer.put(HelloDescriptor.ADDRESS_OFFSET, raw);
        }
        return buffer.array();
    }

    /** Reads foreign bytes; null where they are not a hello of this version. */
    public static @Nullable Hello decode(final byte[] bytes) {
        if (bytes.length < HelloDescriptor.SIZE || !isOurs(bytes)) {
            return null;
        }
        final ByteBuffer buffer = ByteBuffer.wrap(bytes);
        final byte[] raw = new byte[HelloDescriptor.ADDRESS_SIZE];
        buffer.get(HelloDescriptor.ADDRESS_OFFSET, raw);
        final int lane = buffer.get(HelloDescriptor.CLASS_OFFSET);
        final int lanes = buffer.get(HelloDescriptor.CLASSES_OFFSET);
        final int shift = buffer.get(HelloDescriptor.SIZE_SHIFT_OFFSET);
        final int credits = Short.toUnsignedInt(buffer.getShort(HelloDescriptor.CREDITS_OFFSET));
        final int control = Short.toUnsignedInt(buffer.getShort(HelloDescriptor.CONTROL_CREDITS_OFFSET));
        if (lane < 0 || lane >= lanes || shift < 0 || shift > MOST_SHIFT || credits == 0 || control == 0) {
            return null;
        }
        try {
            // A mapped address becomes one of IPv4.
            return new Hello(
                    lane, lanes, 1 << shift, credits, control, buffer.getInt(HelloDescriptor.SESSION_OFFSET),
                    InetAddress.getByAddress(raw),
                    (buffer.getShort(HelloDescriptor.FEATURES_OFFSET) & HelloDescriptor.READS_BATCHES) != 0);
        } catch (final UnknownHostException e) {
            throw new AssertionError("sixteen bytes are always an address", e);
        }
    }

    public static byte[] encodeReject(final Reason reason) {
        final ByteBuffer buffer = ByteBuffer.allocate(HelloDescriptor.REJECT_SIZE);
        buffer.putShort(HelloDescriptor.MAGIC_OFFSET, MessageDescriptor.MAGIC);
        buffer.put(HelloDescriptor.VERSION_OFFSET, MessageDescriptor.VERSION);
        buffer.put(HelloDescriptor.REASON_OFFSET, (byte) reason.code());
        return buffer.array();
    }

    public static Reason decodeReject(final byte[] bytes) {
        return bytes.length >= HelloDescriptor.REJECT_SIZE && isOurs(bytes)
                ? Reason.fromCode(bytes[HelloDescriptor.REASON_OFFSET])
                : Reason.UNKNOWN;
    }

    private static boolean isOurs(final byte[] bytes) {
        return ByteBuffer.wrap(bytes).getShort(HelloDescriptor.MAGIC_OFFSET) == MessageDescriptor.MAGIC
                && bytes[HelloDescriptor.VERSION_OFFSET] == MessageDescriptor.VERSION;
    }
}
