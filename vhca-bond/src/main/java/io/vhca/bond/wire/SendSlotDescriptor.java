package io.vhca.bond.wire;

import io.vhca.api.SendWrDescriptor;
import io.vhca.api.SgeDescriptor;

/**
 * Layout of a slot of a virtual send queue. Hardware reads the work request and its elements; the rest keeps what the
 * application posted, so that they can be translated again for another member. What every post and every completion
 * touches lies at fixed offsets.
 *
 * <pre>
 *   0             128     136          140      144                     160
 *   | ibv_send_wr | wr_id | send_flags | opcode | of the service, 16 B | ibv_sge x max_send_sge |
 *   tail: | vlkey 4 x max_send_sge | inline data | up to a multiple of 64
 * </pre>
 *
 * <p>What the service keeps: {@link ConnectedSlotDescriptor}, {@link DatagramSlotDescriptor}.
 */
public final class SendSlotDescriptor {
    static final int WR_OFFSET = 0;
    public static final int WR_ID_OFFSET = WR_OFFSET + SendWrDescriptor.SIZE;
    public static final int FLAGS_OFFSET = WR_ID_OFFSET + Long.BYTES;
    /** What the application posted; the work request holds another opcode where it is posted as a placeholder. */
    public static final int OPCODE_OFFSET = FLAGS_OFFSET + Integer.BYTES;

    static final int SERVICE_OFFSET = OPCODE_OFFSET + Integer.BYTES;
    static final int SERVICE_SIZE = 2 * Long.BYTES;
    public static final int SGE_OFFSET = SERVICE_OFFSET + SERVICE_SIZE;

    private static final int ALIGNMENT = 64;

    static {
        if (SGE_OFFSET != 160) {
            throw new ExceptionInInitializerError("a send slot's elements are at 160, not at " + SGE_OFFSET);
        }
        if (FLAGS_OFFSET % Long.BYTES != 0) {
            throw new ExceptionInInitializerError("send_flags and opcode are no aligned word at " + FLAGS_OFFSET);
        }
    }

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
