package io.vhca.rdp.wire;

/**
 * One datagram of a {@link MessageDescriptor#BATCH}; the next one begins behind it at a multiple of {@link #ALIGNMENT}.
 * All fields are big-endian. What is left where no other one fits says nothing.
 *
 * <pre>
 *    0         4        8               16
 *    | flow id | length | flow sequence | bytes |
 * </pre>
 */
public final class BatchDescriptor {
    public static final int FLOW_ID_OFFSET = 0;
    public static final int LENGTH_OFFSET = FLOW_ID_OFFSET + Integer.BYTES;
    public static final int FLOW_SEQUENCE_OFFSET = LENGTH_OFFSET + Integer.BYTES;
    public static final int SIZE = FLOW_SEQUENCE_OFFSET + Long.BYTES;
    public static final int ALIGNMENT = 8;

    static {
        MessageDescriptor.checkSize("head of a datagram in a batch", SIZE, 16);
    }

    private BatchDescriptor() {}

    /** How many bytes a datagram takes. */
    public static int sizeOf(final int lengthBytes) {
        return (SIZE + lengthBytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    }

    /** How long a batch is to be that has so many bytes: not as long as a message that says nothing. */
    public static int padded(final int batchBytes) {
        return BareDescriptor.saysNothing(MessageDescriptor.SIZE + batchBytes) ? batchBytes + ALIGNMENT : batchBytes;
    }
}
