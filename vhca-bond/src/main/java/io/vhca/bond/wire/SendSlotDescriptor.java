package io.vhca.bond.wire;

import io.vhca.api.SendWrDescriptor;
import io.vhca.api.SgeDescriptor;

/**
 * Layout of a slot of the virtual send queue. Hardware reads the work request and its elements; the rest keeps what the
 * application posted, so that they can be translated again for another member. What every post and every completion
 * touches lies at fixed offsets.
 *
 * <pre>
 *   0             128     136                144          148      152     156   160
 *   | ibv_send_wr | wr_id | messages through | send_flags | opcode | vrkey | pad | ibv_sge x max_send_sge |
 *   tail: | vlkey 4 x max_send_sge | inline data |
 * </pre>
 */
public final class SendSlotDescriptor {
    static final int WR_OFFSET = 0;
    public static final int WR_ID_OFFSET = WR_OFFSET + SendWrDescriptor.SIZE;
    /** How many requests up to and including this one consume a receive at the peer, since the vQP was born. */
    public static final int MESSAGES_OFFSET = WR_ID_OFFSET + Long.BYTES;

    public static final int FLAGS_OFFSET = MESSAGES_OFFSET + Long.BYTES;
    /** What the application posted; the work request holds another opcode where it is posted as a placeholder. */
    public static final int OPCODE_OFFSET = FLAGS_OFFSET + Integer.BYTES;

    public static final int VRKEY_OFFSET = OPCODE_OFFSET + Integer.BYTES;
    public static final int SGE_OFFSET = VRKEY_OFFSET + Long.BYTES;

    private static final int ALIGNMENT = 64;

    public final int maxInline;
    public final int vlkeyOffset;
    public final int inlineOffset;
    public final int size;

    public SendSlotDescriptor(final int maxSge, final int maxInline) {
        this.maxInline = maxInline;
        vlkeyOffset = SGE_OFFSET + Math.max(1, maxSge) * SgeDescriptor.SIZE;
        inlineOffset = vlkeyOffset + Math.max(1, maxSge) * Integer.BYTES;
        size = inlineOffset + maxInline + ALIGNMENT - 1 & -ALIGNMENT;
    }
}
