package io.vhca.bond;

import io.vhca.api.SendWrDescriptor;
import io.vhca.api.SgeDescriptor;

/**
 * Layout of a slot of the virtual send queue. The front is what hardware reads; the tail keeps what the application
 * posted, so that the front can be translated again for another member.
 *
 * <pre>
 *   0             128                     ...
 *   | ibv_send_wr | ibv_sge x max_send_sge |
 *   tail: | wr_id 8 | messages through 8 | send_flags 4 | opcode 4 | vrkey 4 | vlkey 4 x max_send_sge |
 *         | inline data |
 * </pre>
 */
final class SendSlotDescriptor {
    static final int WR_OFFSET = 0;
    static final int SGE_OFFSET = WR_OFFSET + SendWrDescriptor.SIZE;

    private static final int ALIGNMENT = 64;

    final int maxSge;
    final int maxInline;
    final int wrIdOffset;
    /** How many requests up to and including this one consume a receive at the peer, since the vQP was born. */
    final int messagesOffset;
    final int flagsOffset;
    /** What the application posted; the front holds another opcode where the slot is posted as a placeholder. */
    final int opcodeOffset;
    final int vrkeyOffset;
    final int vlkeyOffset;
    final int inlineOffset;
    final int size;

    SendSlotDescriptor(final int maxSge, final int maxInline) {
        this.maxSge = maxSge;
        this.maxInline = maxInline;
        wrIdOffset = SGE_OFFSET + Math.max(1, maxSge) * SgeDescriptor.SIZE;
        messagesOffset = wrIdOffset + Long.BYTES;
        flagsOffset = messagesOffset + Long.BYTES;
        opcodeOffset = flagsOffset + Integer.BYTES;
        vrkeyOffset = opcodeOffset + Integer.BYTES;
        vlkeyOffset = vrkeyOffset + Integer.BYTES;
        inlineOffset = vlkeyOffset + maxSge * Integer.BYTES;
        size = inlineOffset + maxInline + ALIGNMENT - 1 & -ALIGNMENT;
    }
}
