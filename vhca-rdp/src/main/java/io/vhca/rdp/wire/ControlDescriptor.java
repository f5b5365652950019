package io.vhca.rdp.wire;

/**
 * A record of a control message; as many follow its header as its length holds. All fields are big-endian. A kind that
 * is not known is skipped and counted.
 *
 * <pre>
 *    0      1          2             4                  6          8    12           20
 *    | kind | reserved | source port | destination port | reserved | id | sequence |
 *
 *    kind          | from     | source port | destination port | id    | sequence
 *    FLOW_OPEN     | sender   | yes         | yes              | flow  |
 *    FLOW_OPENED   | receiver |             |                  | flow  |
 *    FLOW_REFUSED  | receiver |             |                  | flow  |            no such port, or no room
 *    FLOW_CLOSED   | receiver |             |                  | flow  |            the port was closed
 *    FLOW_END      | sender   |             |                  | flow  | the next that would have been sent
 *    FLOW_ENDED    | receiver |             |                  | flow  |            the id is free
 *    STALL         | receiver |             | yes              |       |
 *    UNSTALL       | receiver |             | yes              |       |
 *    GRANT         | both     |             |                  | class | messages taken off that class's queue, ever
 *    OFFER_PLACE   | receiver | slot        |                  | rkey  | address
 *    OFFER         | receiver | slot        | flow             | bytes | tag
 *    WITHDRAW      | receiver | slot        |                  | which |
 *    WITHDRAWN     | sender   | slot        |                  | which |            it will write nothing there
 * </pre>
 *
 * An OFFER follows its OFFER_PLACE in the same message: the flow may write once into that memory, by an RDMA WRITE with
 * immediate on the connection of the size class. A WITHDRAW of memory that was written to is not answered.
 *
 * <pre>
 *   31                             15       0
 *   | flow sequence, its low 16 bits | slot |   immediate data, host order
 * </pre>
 */
public final class ControlDescriptor {
    public static final int FLOW_OPEN = 1;
    public static final int FLOW_OPENED = 2;
    public static final int FLOW_REFUSED = 3;
    public static final int FLOW_CLOSED = 4;
    public static final int FLOW_END = 5;
    public static final int FLOW_ENDED = 6;
    public static final int STALL = 7;
    public static final int UNSTALL = 8;
    public static final int GRANT = 9;
    public static final int OFFER_PLACE = 10;
    public static final int OFFER = 11;
    public static final int WITHDRAW = 12;
    public static final int WITHDRAWN = 13;

    /** Slots, and flows that memory can be offered to. */
    public static final int MOST_SLOTS = 1 << Short.SIZE;

    /** Where the flow sequence is in immediate data. */
    public static final int IMMEDIATE_SEQUENCE_SHIFT = Short.SIZE;

    public static final int KIND_OFFSET = 0;
    public static final int RESERVED_OFFSET = KIND_OFFSET + Byte.BYTES;
    public static final int SOURCE_PORT_OFFSET = RESERVED_OFFSET + Byte.BYTES;
    public static final int DESTINATION_PORT_OFFSET = SOURCE_PORT_OFFSET + Short.BYTES;
    public static final int RESERVED_TOO_OFFSET = DESTINATION_PORT_OFFSET + Short.BYTES;
    public static final int ID_OFFSET = RESERVED_TOO_OFFSET + Short.BYTES;
    public static final int SEQUENCE_OFFSET = ID_OFFSET + Integer.BYTES;
    public static final int SIZE = SEQUENCE_OFFSET + Long.BYTES;

    static {
        MessageDescriptor.checkSize("control record", SIZE, 20);
    }

    private ControlDescriptor() {}
}
