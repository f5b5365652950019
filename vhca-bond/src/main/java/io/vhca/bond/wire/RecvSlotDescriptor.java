package io.vhca.bond.wire;

import io.vhca.api.RecvWrDescriptor;
import io.vhca.api.SgeDescriptor;

/**
 * Layout of a slot of a virtual receive queue, shared or not.
 *
 * <pre>
 *   0             32
 *   | ibv_recv_wr | ibv_sge x max_recv_sge | wr_id 8 | vlkey 4 x max_recv_sge | up to a multiple of 64
 * </pre>
 */
public final class RecvSlotDescriptor {
    static final int WR_OFFSET = 0;
    public static final int SGE_OFFSET = WR_OFFSET + RecvWrDescriptor.SIZE;

    private static final int ALIGNMENT = 64;

    static {
        if (SGE_OFFSET != 32) {
            throw new ExceptionInInitializerError("a receive slot's elements are at 32, not at " + SGE_OFFSET);
        }
    }

    public final int wrIdOffset;
    public final int vlkeyOffset;
    public final int size;

    public RecvSlotDescriptor(final int maxSge) {
        wrIdOffset = SGE_OFFSET + Math.max(1, maxSge) * SgeDescriptor.SIZE;
        vlkeyOffset = wrIdOffset + Long.BYTES;
        size = vlkeyOffset + maxSge * Integer.BYTES + ALIGNMENT - 1 & -ALIGNMENT;
    }
}
