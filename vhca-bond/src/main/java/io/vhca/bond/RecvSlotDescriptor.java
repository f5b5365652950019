package io.vhca.bond;

import io.vhca.api.RecvWrDescriptor;
import io.vhca.api.SgeDescriptor;

/**
 * Layout of a slot of the virtual receive queue.
 *
 * <pre>
 *   0             32                       ...
 *   | ibv_recv_wr | ibv_sge x max_recv_sge | wr_id 8 | vlkey 4 x max_recv_sge |
 * </pre>
 */
final class RecvSlotDescriptor {
    static final int WR_OFFSET = 0;
    static final int SGE_OFFSET = WR_OFFSET + RecvWrDescriptor.SIZE;

    private static final int ALIGNMENT = 64;

    final int maxSge;
    final int wrIdOffset;
    final int vlkeyOffset;
    final int size;

    RecvSlotDescriptor(final int maxSge) {
        this.maxSge = maxSge;
        wrIdOffset = SGE_OFFSET + Math.max(1, maxSge) * SgeDescriptor.SIZE;
        vlkeyOffset = wrIdOffset + Long.BYTES;
        size = vlkeyOffset + maxSge * Integer.BYTES + ALIGNMENT - 1 & -ALIGNMENT;
    }
}
