package io.vhca.recovery.wire;

import static io.vhca.recovery.wire.PrefixDescriptor.ORDER;

import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;

/**
 * Layout of a vQP and the member that it speaks from, inside a record.
 *
 * <pre>
 *   bit  31         28 27          24 23    0
 *        | generation | member index | vQPN |
 * </pre>
 */
final class SenderDescriptor {
    static final int QP_NUM_BITS = 24;
    static final int MEMBER_BITS = 4;
    static final int GENERATION_BITS = 4;

    /** Bytes of it. */
    static final int SIZE = Integer.BYTES;

    private static final int MEMBER_SHIFT = QP_NUM_BITS;
    private static final int GENERATION_SHIFT = MEMBER_SHIFT + MEMBER_BITS;
    private static final int QP_NUM_MASK = (1 << QP_NUM_BITS) - 1;
    private static final int MEMBER_MASK = (1 << MEMBER_BITS) - 1;

    static {
        PrefixDescriptor.checkSize("sender", (GENERATION_SHIFT + GENERATION_BITS) / Byte.SIZE, SIZE);
    }

    private SenderDescriptor() {}

    static void encode(final MutableDirectBuffer buffer, final int offset, final MemberId member, final int qpNum) {
        assert (qpNum & ~QP_NUM_MASK) == 0 : "vQPN " + qpNum;
        final int word = member.generation() << GENERATION_SHIFT | member.index() << MEMBER_SHIFT | qpNum;
        buffer.putInt(offset, word, ORDER);
    }

    static MemberId member(final DirectBuffer buffer, final int offset) {
        final int word = buffer.getInt(offset, ORDER);
        return new MemberId(word >>> MEMBER_SHIFT & MEMBER_MASK, word >>> GENERATION_SHIFT);
    }

    static int qpNum(final DirectBuffer buffer, final int offset) {
        return buffer.getInt(offset, ORDER) & QP_NUM_MASK;
    }
}
