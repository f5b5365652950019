package io.vhca.physical.soft.engine.rc;

/**
 * The records of the log that holds messages which were acknowledged and not placed yet. A record begins at a multiple
 * of 8.
 *
 * <pre>
 *          0      8       16        24       32
 *   BYTES  | kind | bytes | target  | key    | payload ...                                        |
 *   END    | kind | bytes | wr_id   | due ns | wc_flags | opcode | byte_len | imm_data | solicited | pad |
 *                                            32         36       40         44         48          52    56
 * </pre>
 *
 * BYTES is a part of a payload, END the end of a message; its opcode is {@link #NO_RECEIVE} where none completes.
 */
final class PlacementLogDescriptor {
    static final long BYTES = 1;
    static final long END = 2;
    static final int NO_RECEIVE = -1;

    static final int KIND_OFFSET = 0;
    static final int LENGTH_OFFSET = KIND_OFFSET + Long.BYTES;
    static final int TARGET_OFFSET = LENGTH_OFFSET + Long.BYTES;
    static final int KEY_OFFSET = TARGET_OFFSET + Long.BYTES;
    static final int PAYLOAD_OFFSET = KEY_OFFSET + Long.BYTES;

    static final int WR_ID_OFFSET = LENGTH_OFFSET + Long.BYTES;
    static final int DUE_NS_OFFSET = WR_ID_OFFSET + Long.BYTES;
    static final int FLAGS_OFFSET = DUE_NS_OFFSET + Long.BYTES;
    static final int OPCODE_OFFSET = FLAGS_OFFSET + Integer.BYTES;
    static final int BYTE_LEN_OFFSET = OPCODE_OFFSET + Integer.BYTES;
    static final int IMMEDIATE_OFFSET = BYTE_LEN_OFFSET + Integer.BYTES;
    static final int SOLICITED_OFFSET = IMMEDIATE_OFFSET + Integer.BYTES;
    static final int END_BYTES = SOLICITED_OFFSET + Integer.BYTES + Integer.BYTES;

    static {
        if (END_BYTES != 56) {
            throw new ExceptionInInitializerError("an END is 56 bytes, not " + END_BYTES);
        }
    }

    private PlacementLogDescriptor() {}

    /** Bytes from a record of that length to the next. */
    static long aligned(final long lengthBytes) {
        return lengthBytes + Long.BYTES - 1 & -Long.BYTES;
    }
}
