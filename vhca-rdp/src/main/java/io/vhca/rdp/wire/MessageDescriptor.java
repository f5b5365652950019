package io.vhca.rdp.wire;

/**
 * The header that messages between two drivers begin with. All fields are big-endian.
 *
 * <pre>
 *    0       2         3      4       5          6             8         12
 *    | magic | version | kind | flags | reserved | source port | flow id | length |
 *   16              24             28                32
 *    | flow sequence | lane granted | control granted |
 * </pre>
 *
 * Source port, flow id and flow sequence are zero in a control message and in a batch. The length is that of what
 * follows.
 *
 * <p>Some data messages are without a header, of which {@link BareDescriptor} tells. They grant nothing.
 */
public final class MessageDescriptor {
    /** "RD". */
    public static final short MAGIC = 0x5244;

    /** The version spoken here. */
    public static final byte VERSION = 3;

    /** A datagram, or a segment of one. */
    public static final byte DATA = 1;

    /** Records of {@link ControlDescriptor}. */
    public static final byte CONTROL = 2;

    /** Short datagrams of any flows, each with the head of {@link BatchDescriptor}; to who says that he reads it. */
    public static final byte BATCH = 3;

    /** The datagram ends with this message. */
    public static final byte LAST = 1;

    public static final int MAGIC_OFFSET = 0;
    public static final int VERSION_OFFSET = MAGIC_OFFSET + Short.BYTES;
    public static final int KIND_OFFSET = VERSION_OFFSET + Byte.BYTES;
    public static final int FLAGS_OFFSET = KIND_OFFSET + Byte.BYTES;
    public static final int RESERVED_OFFSET = FLAGS_OFFSET + Byte.BYTES;
    public static final int SOURCE_PORT_OFFSET = RESERVED_OFFSET + Byte.BYTES;
    public static final int FLOW_ID_OFFSET = SOURCE_PORT_OFFSET + Short.BYTES;
    public static final int LENGTH_OFFSET = FLOW_ID_OFFSET + Integer.BYTES;
    public static final int FLOW_SEQUENCE_OFFSET = LENGTH_OFFSET + Integer.BYTES;
    /** How many data messages of this connection the sender of this one has taken off its queue, ever. */
    public static final int LANE_GRANTED_OFFSET = FLOW_SEQUENCE_OFFSET + Long.BYTES;
    /** The same of control messages. */
    public static final int CONTROL_GRANTED_OFFSET = LANE_GRANTED_OFFSET + Integer.BYTES;
    public static final int SIZE = CONTROL_GRANTED_OFFSET + Integer.BYTES;

    static {
        checkSize("message header", SIZE, 32);
    }

    private MessageDescriptor() {}

    static void checkSize(final String what, final int size, final int expected) {
        if (size != expected) {
            throw new ExceptionInInitializerError(what + " is " + expected + " bytes, not " + size);
        }
    }
}
