package io.vhca.rdp.wire;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * What one end of a connection says of itself; {@link HelloDescriptor} has the layout, {@link BriefHelloDescriptor} the
 * shorter one.
 *
 * @param laneIndex      which size class the connection is for, from 0
 * @param lanes          how many size classes there are
 * @param payloadBytes   the largest payload of the class, a power of two
 * @param credits        receives for data that this end keeps posted
 * @param controlCredits receives for control messages, on the connection of the smallest class
 * @param session        chosen by who connects, the same on all connections that he makes together
 * @param address        by which others know this node
 * @param readsBatches   whether short datagrams may come together
 * @param asksName       who calls does not know whether he calls the other end by its own name
 */
public record Hello(
        int laneIndex, int lanes, int payloadBytes, int credits, int controlCredits, int session,
        InetAddress address, boolean readsBatches, boolean asksName) {
    private static final int IPV4_SIZE = 4;
    private static final int IPV4_AT = HelloDescriptor.ADDRESS_SIZE - IPV4_SIZE;
    private static final int MOST_SHIFT = 24;

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
        buffer.putShort(HelloDescriptor.FEATURES_OFFSET, (short) features());
        putAddress(buffer, HelloDescriptor.ADDRESS_OFFSET, address);
        return buffer.array();
    }

    /** All of it in half the room, as {@link BriefHelloDescriptor} has it; null where the address is not of IPv4. */
    public byte @Nullable [] encodeBriefly() {
        final byte[] raw = address.getAddress();
        if (raw.length != BriefHelloDescriptor.ADDRESS_SIZE) {
            return null;
        }
        return ByteBuffer.allocate(BriefHelloDescriptor.SIZE)
                .putLong(
                        BriefHelloDescriptor.FIELDS_OFFSET,
                        BriefHelloDescriptor.encode(
                                credits, controlCredits, laneIndex, lanes, Integer.numberOfTrailingZeros(payloadBytes),
                                features()))
                .putInt(BriefHelloDescriptor.SESSION_OFFSET, session)
                .put(BriefHelloDescriptor.ADDRESS_OFFSET, raw)
                .array();
    }

    private int features() {
        return (readsBatches ? HelloDescriptor.READS_BATCHES : 0) | (asksName ? HelloDescriptor.ASKS_NAME : 0);
    }

    static void putAddress(final ByteBuffer buffer, final int offset, final InetAddress address) {
        final byte[] raw = address.getAddress();
        if (raw.length == IPV4_SIZE) {
            buffer.putShort(offset + IPV4_AT - Short.BYTES, (short) -1);
            buffer.put(offset + IPV4_AT, raw);
        } else {
            buffer.put(offset, raw);
        }
    }

    /** A mapped address becomes one of IPv4. */
    static InetAddress getAddress(final ByteBuffer buffer, final int offset) {
        return getAddress(buffer, offset, HelloDescriptor.ADDRESS_SIZE);
    }

    private static InetAddress getAddress(final ByteBuffer buffer, final int offset, final int size) {
        final byte[] raw = new byte[size];
        buffer.get(offset, raw);
        try {
            return InetAddress.getByAddress(raw);
        } catch (final UnknownHostException e) {
            throw new AssertionError("four or sixteen bytes are always an address", e);
        }
    }

    /** Reads foreign bytes; null where they are not a hello of this version. */
    public static @Nullable Hello decode(final byte[] bytes) {
        if (bytes.length >= BriefHelloDescriptor.SIZE && hasMagic(bytes, BriefHelloDescriptor.MAGIC)) {
            return decodeBrief(ByteBuffer.wrap(bytes));
        }
        if (bytes.length < HelloDescriptor.SIZE || !isOurs(bytes)) {
            return null;
        }
        final ByteBuffer buffer = ByteBuffer.wrap(bytes);
        final int lane = buffer.get(HelloDescriptor.CLASS_OFFSET);
        final int lanes = buffer.get(HelloDescriptor.CLASSES_OFFSET);
        final int shift = buffer.get(HelloDescriptor.SIZE_SHIFT_OFFSET);
        final int credits = Short.toUnsignedInt(buffer.getShort(HelloDescriptor.CREDITS_OFFSET));
        final int control = Short.toUnsignedInt(buffer.getShort(HelloDescriptor.CONTROL_CREDITS_OFFSET));
        if (lane < 0 || lane >= lanes || shift < 0 || shift > MOST_SHIFT || credits == 0 || control == 0) {
            return null;
        }
        return new Hello(
                lane, lanes, 1 << shift, credits, control, buffer.getInt(HelloDescriptor.SESSION_OFFSET),
                getAddress(buffer, HelloDescriptor.ADDRESS_OFFSET),
                buffer.getShort(HelloDescriptor.FEATURES_OFFSET));
    }

    private static @Nullable Hello decodeBrief(final ByteBuffer buffer) {
        final long fields = buffer.getLong(BriefHelloDescriptor.FIELDS_OFFSET);
        final int lane = BriefHelloDescriptor.laneIndex(fields);
        final int lanes = BriefHelloDescriptor.lanes(fields);
        final int shift = BriefHelloDescriptor.sizeShift(fields);
        if (lane >= lanes || shift > MOST_SHIFT) {
            return null;
        }
        return new Hello(
                lane, lanes, 1 << shift, BriefHelloDescriptor.credits(fields),
                BriefHelloDescriptor.controlCredits(fields), buffer.getInt(BriefHelloDescriptor.SESSION_OFFSET),
                getAddress(buffer, BriefHelloDescriptor.ADDRESS_OFFSET, BriefHelloDescriptor.ADDRESS_SIZE),
                BriefHelloDescriptor.features(fields));
    }

    private Hello(
            final int laneIndex, final int lanes, final int payloadBytes, final int credits, final int controlCredits,
            final int session, final InetAddress address, final int features) {
        this(
                laneIndex, lanes, payloadBytes, credits, controlCredits, session, address,
                (features & HelloDescriptor.READS_BATCHES) != 0, (features & HelloDescriptor.ASKS_NAME) != 0);
    }

    private static boolean hasMagic(final byte[] bytes, final short magic) {
        return ByteBuffer.wrap(bytes).getShort(HelloDescriptor.MAGIC_OFFSET) == magic;
    }

    static boolean isOurs(final byte[] bytes) {
        return hasMagic(bytes, MessageDescriptor.MAGIC)
                && bytes[HelloDescriptor.VERSION_OFFSET] == MessageDescriptor.VERSION;
    }
}
