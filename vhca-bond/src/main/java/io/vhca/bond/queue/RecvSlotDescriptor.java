package io.vhca.bond.queue;

import io.vhca.api.NativeMemory;
import io.vhca.api.RecvWrDescriptor;
import io.vhca.api.SgeDescriptor;

/**
 * Layout of a slot of a virtual receive queue, shared or not, and what happens to a request there. Inside the queue's
 * gate.
 *
 * <pre>
 *   0             32                       ...
 *   | ibv_recv_wr | ibv_sge x max_recv_sge | wr_id 8 | vlkey 4 x max_recv_sge |
 * </pre>
 */
public final class RecvSlotDescriptor {
    private static final int WR_OFFSET = 0;
    private static final int SGE_OFFSET = WR_OFFSET + RecvWrDescriptor.SIZE;

    private static final int ALIGNMENT = 64;

    public final int maxSge;
    private final int wrIdOffset;
    private final int vlkeyOffset;
    public final int size;

    public RecvSlotDescriptor(final int maxSge) {
        this.maxSge = maxSge;
        wrIdOffset = SGE_OFFSET + Math.max(1, maxSge) * SgeDescriptor.SIZE;
        vlkeyOffset = wrIdOffset + Long.BYTES;
        size = vlkeyOffset + maxSge * Integer.BYTES + ALIGNMENT - 1 & -ALIGNMENT;
    }

    /** Gives a fresh slot its scatter list, which stays within it. */
    public static void prepare(final long slot) {
        NativeMemory.putLong(slot + RecvWrDescriptor.SG_LIST_OFFSET, slot + SGE_OFFSET);
    }

    /** Copies an application's request into a slot; {@code numSge} is checked. */
    public void take(final long slot, final long wr, final int numSge) {
        final long sges = NativeMemory.getLong(wr + RecvWrDescriptor.SG_LIST_OFFSET);
        for (int i = 0; i < numSge; i++) {
            final long from = sges + (long) i * SgeDescriptor.SIZE;
            final long sge = slot + SGE_OFFSET + (long) i * SgeDescriptor.SIZE;
            NativeMemory.putLong(sge + SgeDescriptor.ADDR_OFFSET, SgeDescriptor.addr(from));
            NativeMemory.putInt(sge + SgeDescriptor.LENGTH_OFFSET, SgeDescriptor.length(from));
            NativeMemory.putInt(slot + vlkeyOffset + i * Integer.BYTES, SgeDescriptor.lkey(from));
        }
        NativeMemory.putInt(slot + RecvWrDescriptor.NUM_SGE_OFFSET, numSge);
        NativeMemory.putLong(slot + wrIdOffset, NativeMemory.getLong(wr + RecvWrDescriptor.WR_ID_OFFSET));
    }

    /** Puts a member's keys in for the virtual ones, and the physical wr_id. */
    public void translate(final long slot, final LocalKeys.Snapshot keys, final int member, final long physicalWrId) {
        final int numSge = NativeMemory.getInt(slot + RecvWrDescriptor.NUM_SGE_OFFSET);
        for (int i = 0; i < numSge; i++) {
            final int vlkey = NativeMemory.getInt(slot + vlkeyOffset + i * Integer.BYTES);
            NativeMemory.putInt(
                    slot + SGE_OFFSET + (long) i * SgeDescriptor.SIZE + SgeDescriptor.LKEY_OFFSET,
                    keys.lkey(vlkey, member));
        }
        NativeMemory.putLong(slot + RecvWrDescriptor.WR_ID_OFFSET, physicalWrId);
    }

    /** Native address of a request's first element, as posted; 0 where it has none. */
    public static long firstElement(final long slot) {
        return NativeMemory.getInt(slot + RecvWrDescriptor.NUM_SGE_OFFSET) == 0 ? 0 : slot + SGE_OFFSET;
    }

    /** The application's own wr_id. */
    public long wrId(final long slot) {
        return NativeMemory.getLong(slot + wrIdOffset);
    }
}
