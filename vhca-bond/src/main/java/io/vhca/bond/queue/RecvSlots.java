package io.vhca.bond.queue;

import io.vhca.api.NativeMemory;
import io.vhca.api.RecvWrDescriptor;
import io.vhca.api.SgeDescriptor;
import io.vhca.bond.memory.BufferSink;
import io.vhca.bond.memory.NativeBlock;
import io.vhca.bond.wire.RecvSlotDescriptor;

/**
 * The native memory of a virtual receive queue, shared or not: slots ({@link RecvSlotDescriptor}) with receives as the
 * application posted them and as hardware reads them. Holds no cursor and no lock; its owner says who may write.
 */
public final class RecvSlots {
    private final RecvSlotDescriptor slot;
    private final String tag;
    private final int maxSge;
    private final long base;
    private final int mask;

    /**
     * Makes them a part of a block.
     *
     * @param tag   of the part
     * @param count how many there are; a power of two where they are addressed by sequence
     */
    public RecvSlots(final NativeBlock block, final String tag, final int count, final int maxSge) {
        this.tag = tag;
        this.maxSge = maxSge;
        slot = new RecvSlotDescriptor(maxSge);
        mask = ringSize(count) - 1;
        base = block.part(tag, (long) count * slot.size, slot.size, slot.size);
        for (int i = 0; i < count; i++) {
            final long wr = address(i);
            NativeMemory.putLong(wr + RecvWrDescriptor.SG_LIST_OFFSET, wr + RecvSlotDescriptor.SGE_OFFSET);
        }
    }

    /** What it takes of a block. */
    static long bytes(final int count, final int maxSge) {
        return NativeBlock.bytesOf((long) count * new RecvSlotDescriptor(maxSge).size);
    }

    /** The least power of two that holds as many. */
    static int ringSize(final int capacity) {
        return Integer.highestOneBit(Math.max(1, capacity * 2 - 1));
    }

    /** Address of a slot, which is that of its {@code ibv_recv_wr}. */
    public long address(final long sequence) {
        return base + (sequence & mask) * slot.size;
    }

    int maxSge() {
        return maxSge;
    }

    /** Whether a receive has no more elements than a slot. */
    public boolean holds(final int numSge) {
        return numSge >= 0 && numSge <= maxSge;
    }

    /** Copies an application's request into a slot, which holds its elements. */
    public void take(final long to, final long wr, final int numSge) {
        final long sges = NativeMemory.getLong(wr + RecvWrDescriptor.SG_LIST_OFFSET);
        for (int i = 0; i < numSge; i++) {
            final long from = sges + (long) i * SgeDescriptor.SIZE;
            final long sge = to + RecvSlotDescriptor.SGE_OFFSET + (long) i * SgeDescriptor.SIZE;
            NativeMemory.putLong(sge + SgeDescriptor.ADDR_OFFSET, SgeDescriptor.addr(from));
            NativeMemory.putInt(sge + SgeDescriptor.LENGTH_OFFSET, SgeDescriptor.length(from));
            NativeMemory.putInt(to + slot.vlkeyOffset + i * Integer.BYTES, SgeDescriptor.lkey(from));
        }
        NativeMemory.putInt(to + RecvWrDescriptor.NUM_SGE_OFFSET, numSge);
        NativeMemory.putLong(to + slot.wrIdOffset, NativeMemory.getLong(wr + RecvWrDescriptor.WR_ID_OFFSET));
    }

    /** Puts a member's keys in for the virtual ones, and the physical wr_id. */
    public void translate(final long wr, final LocalKeys.Snapshot keys, final int member, final long physicalWrId) {
        final int numSge = NativeMemory.getInt(wr + RecvWrDescriptor.NUM_SGE_OFFSET);
        for (int i = 0; i < numSge; i++) {
            final int vlkey = NativeMemory.getInt(wr + slot.vlkeyOffset + i * Integer.BYTES);
            NativeMemory.putInt(
                    wr + RecvSlotDescriptor.SGE_OFFSET + (long) i * SgeDescriptor.SIZE + SgeDescriptor.LKEY_OFFSET,
                    keys.lkey(vlkey, member));
        }
        NativeMemory.putLong(wr + RecvWrDescriptor.WR_ID_OFFSET, physicalWrId);
    }

    /** Native address of a request's first element, as posted; 0 where it has none. */
    public long firstElement(final long sequence) {
        final long wr = address(sequence);
        return NativeMemory.getInt(wr + RecvWrDescriptor.NUM_SGE_OFFSET) == 0 ? 0 : wr + RecvSlotDescriptor.SGE_OFFSET;
    }

    /** Shows the buffers of a receive. */
    void buffers(final long sequence, final BufferSink to) {
        final long wr = address(sequence);
        final int numSge = NativeMemory.getInt(wr + RecvWrDescriptor.NUM_SGE_OFFSET);
        to.buffers(tag, sequence, wr + RecvSlotDescriptor.SGE_OFFSET, numSge);
    }

    /** The application's own wr_id. */
    public long wrId(final long sequence) {
        return NativeMemory.getLong(address(sequence) + slot.wrIdOffset);
    }
}
