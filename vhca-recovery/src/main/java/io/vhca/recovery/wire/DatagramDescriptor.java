package io.vhca.recovery.wire;

/**
 * Layout of a {@link DatagramRecord}.
 *
 * <pre>
 *   0        4          12             16      17                  20        21                24
 *   | prefix | instance | sender, vQPN | flags | pQPN, 24 bits     | members | target, 24 bits | member list |
 * </pre>
 */
final class DatagramDescriptor {
    static final int QP_NUM_MASK = 0xFF_FFFF;
    /** Flags stand above a pQPN, and the count of members above a target, in one word each. */
    static final int UPPER_BYTE_SHIFT = 24;

    static final int INSTANCE_OFFSET = PrefixDescriptor.SIZE;
    static final int SENDER_OFFSET = INSTANCE_OFFSET + Long.BYTES;
    static final int FLAGS_OFFSET = SENDER_OFFSET + SenderDescriptor.SIZE;
    static final int MEMBER_COUNT_OFFSET = FLAGS_OFFSET + Integer.BYTES;
    static final int MEMBER_LIST_OFFSET = MEMBER_COUNT_OFFSET + Integer.BYTES;

    /** Bytes before the member list. */
    static final int SIZE = MEMBER_LIST_OFFSET;

    private DatagramDescriptor() {}
}
