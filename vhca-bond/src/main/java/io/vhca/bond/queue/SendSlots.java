package io.vhca.bond.queue;

import io.vhca.api.NativeMemory;
import io.vhca.api.SendFlags;
import io.vhca.api.SendWrDescriptor;
import io.vhca.api.SgeDescriptor;
import io.vhca.api.WrOpcode;
import io.vhca.bond.memory.BufferSink;
import io.vhca.bond.memory.NativeBlock;
import io.vhca.bond.wire.SendSlotDescriptor;
import java.util.Locale;

/**
 * The native memory of a virtual send queue: a power of two of slots ({@link SendSlotDescriptor}), addressed by
 * sequence. Holds no cursor and no lock; its owner says who may write.
 */
public abstract class SendSlots {
    private static final int MOST_LOOKED_AT = 16;

    private final SendSlotDescriptor slot;
    private final int slotSize;
    private final int vlkeyOffset;
    private final long base;
    private final int mask;

    protected SendSlots(final NativeBlock block, final int capacity, final int maxSge, final int maxInline) {
        slot = new SendSlotDescriptor(maxSge, maxInline);
        slotSize = slot.size;
        vlkeyOffset = slot.vlkeyOffset;
        final int slots = slotCount(capacity);
        mask = slots - 1;
        base = block.part("vSQ", (long) slots * slotSize, slotSize, slot.inlineOffset);
        for (int i = 0; i < slots; i++) {
            final long wr = base + (long) i * slotSize;
            NativeMemory.putLong(wr + SendWrDescriptor.SG_LIST_OFFSET, wr + SendSlotDescriptor.SGE_OFFSET);
        }
    }

    /** The least power of two that holds as many. */
    protected static int slotCount(final int capacity) {
        return Integer.highestOneBit(Math.max(1, capacity * 2 - 1));
    }

    /** What it takes of a block. */
    protected static long bytes(final int capacity, final int maxSge, final int maxInline) {
        return NativeBlock.bytesOf((long) slotCount(capacity) * new SendSlotDescriptor(maxSge, maxInline).size);
    }

    final int slotCount() {
        return mask + 1;
    }

    final long slotIndex(final long sequence) {
        return sequence & mask;
    }

    /** Address of a slot, which is that of its {@code ibv_send_wr}. */
    public final long address(final long sequence) {
        return base + (sequence & mask) * slotSize;
    }

    /**
     * Bytes of the requests from one sequence to another, estimated from the last few of them; in passing, from outside
     * of the gate: a slot that is being written may be read half.
     */
    final double bytesAtGlance(final long from, final long to) {
        final long count = to - from;
        final int looked = (int) Math.min(count, Math.min(slotCount(), MOST_LOOKED_AT));
        final int maxSge = (slot.inlineOffset - vlkeyOffset) / Integer.BYTES;
        long bytes = 0;
        for (long sequence = to - looked; sequence < to; sequence++) {
            final long wr = address(sequence);
            final int sges = Math.min(NativeMemory.getInt(wr + SendWrDescriptor.NUM_SGE_OFFSET), maxSge);
            for (int i = 0; i < sges; i++) {
                bytes += SgeDescriptor.length(wr + SendSlotDescriptor.SGE_OFFSET + (long) i * SgeDescriptor.SIZE)
                        & 0xFFFF_FFFFL;
            }
        }
        return looked <= 0 ? 0 : (double) bytes * count / looked;
    }

    // ---- written at post --------------------------------------------------------------------------------------------

    /** Copies scatter/gather elements, their keys both as posted and as the member in use knows them. */
    public final void copySges(
            final long to, final long sges, final int numSge, final LocalKeys.Snapshot keys, final int member) {
        final long sge = to + SendSlotDescriptor.SGE_OFFSET;
        final long kept = to + vlkeyOffset;
        if (numSge == 1) {
            copySge(sges, sge, kept, keys, member);
            return;
        }
        for (int i = 0; i < numSge; i++) {
            final long at = (long) i * SgeDescriptor.SIZE;
            copySge(sges + at, sge + at, kept + (long) i * Integer.BYTES, keys, member);
        }
    }

    /** Writes the one element of a request, its key as posted and as the member in use knows it. */
    final void putOne(final long to, final long addr, final long lengthAndVlkey, final int lkey) {
        NativeMemory.putLong(to + SendSlotDescriptor.SGE_OFFSET + SgeDescriptor.ADDR_OFFSET, addr);
        NativeMemory.putLong(
                to + SendSlotDescriptor.SGE_OFFSET + SgeDescriptor.LENGTH_OFFSET,
                lengthAndVlkey & 0xFFFF_FFFFL | (long) lkey << Integer.SIZE);
        NativeMemory.putInt(to + vlkeyOffset, (int) (lengthAndVlkey >>> Integer.SIZE));
    }

    private static void copySge(
            final long from, final long to, final long kept, final LocalKeys.Snapshot keys, final int member) {
        final long lengthAndKey = NativeMemory.getLong(from + SgeDescriptor.LENGTH_OFFSET);
        final int vlkey = (int) (lengthAndKey >>> Integer.SIZE);
        NativeMemory.putLong(to + SgeDescriptor.ADDR_OFFSET, SgeDescriptor.addr(from));
        NativeMemory.putLong(
                to + SgeDescriptor.LENGTH_OFFSET,
                lengthAndKey & 0xFFFF_FFFFL | (long) keys.lkey(vlkey, member) << Integer.SIZE);
        NativeMemory.putInt(kept, vlkey);
    }

    /** Bytes of inline data that a slot holds. */
    final int maxInline() {
        return slot.maxInline;
    }

    /** Copies inline data into the slot; false when it is longer than the queue pair allows. */
    public final boolean copyInline(final long to, final long sges, final int numSge) {
        int total = 0;
        for (int i = 0; i < numSge; i++) {
            final long from = sges + (long) i * SgeDescriptor.SIZE;
            final int length = SgeDescriptor.length(from);
            if (length < 0 || length > slot.maxInline - total) {
                return false;
            }
            NativeMemory.copy(SgeDescriptor.addr(from), to + slot.inlineOffset + total, length);
            total += length;
        }
        SgeDescriptor.write(to + SendSlotDescriptor.SGE_OFFSET, to + slot.inlineOffset, total, 0);
        NativeMemory.putInt(to + vlkeyOffset, 0);
        NativeMemory.putInt(to + SendWrDescriptor.NUM_SGE_OFFSET, total == 0 ? 0 : 1);
        return true;
    }

    /** Writes what the completion needs of what the application posted; the flags are those it gave. */
    protected static void keep(final long to, final long wr, final int flags, final int opcode) {
        NativeMemory.putLong(
                to + SendSlotDescriptor.WR_ID_OFFSET, NativeMemory.getLong(wr + SendWrDescriptor.WR_ID_OFFSET));
        NativeMemory.putLong(
                to + SendSlotDescriptor.FLAGS_OFFSET, flags & 0xFFFF_FFFFL | (long) opcode << Integer.SIZE);
    }

    // ---- written when given to hardware -----------------------------------------------------------------------------

    public final void translateLocalKeys(final long wr, final LocalKeys.Snapshot keys, final int member) {
        final int numSge = NativeMemory.getInt(wr + SendWrDescriptor.NUM_SGE_OFFSET);
        for (int i = 0; i < numSge; i++) {
            final int vlkey = NativeMemory.getInt(wr + vlkeyOffset + i * Integer.BYTES);
            NativeMemory.putInt(
                    wr + SendSlotDescriptor.SGE_OFFSET + (long) i * SgeDescriptor.SIZE + SgeDescriptor.LKEY_OFFSET,
                    keys.lkey(vlkey, member));
        }
    }

    /** Makes one chain of the slots in [from, end), which is not empty; the address of its first. */
    public final long link(final long from, final long end) {
        final long first = address(from);
        long last = first;
        if (end != from + 1) {
            for (long sequence = from + 1; sequence != end; sequence++) {
                final long next = address(sequence);
                NativeMemory.putLong(last + SendWrDescriptor.NEXT_OFFSET, next);
                last = next;
            }
        }
        NativeMemory.putLong(last + SendWrDescriptor.NEXT_OFFSET, 0);
        return first;
    }

    // ---- read -------------------------------------------------------------------------------------------------------

    public final boolean isSignaled(final long sequence) {
        return (NativeMemory.getInt(address(sequence) + SendSlotDescriptor.FLAGS_OFFSET) & SendFlags.SIGNALED) != 0;
    }

    /** True when the hardware completes one of the requests in [from, end) by itself, asked for or not. */
    public final boolean hasSignaled(final long from, final long end) {
        for (long sequence = from; sequence < end; sequence++) {
            final int flags = NativeMemory.getInt(address(sequence) + SendWrDescriptor.SEND_FLAGS_OFFSET);
            if ((flags & SendFlags.SIGNALED) != 0) {
                return true;
            }
        }
        return false;
    }

    /** The application's own. */
    public final long wrId(final long sequence) {
        return NativeMemory.getLong(address(sequence) + SendSlotDescriptor.WR_ID_OFFSET);
    }

    /** What the application posted. */
    public final int opcode(final long sequence) {
        return NativeMemory.getInt(address(sequence) + SendSlotDescriptor.OPCODE_OFFSET);
    }

    /** The application's key of the first element. */
    public final int localKey(final long sequence) {
        return NativeMemory.getInt(address(sequence) + vlkeyOffset);
    }

    /** A request in words, without its data. */
    final String describe(final long sequence) {
        final long wr = address(sequence);
        final int opcode = opcode(sequence);
        final String target = (SendOpcodes.RDMA & 1 << opcode) == 0 ? "" : String.format(
                Locale.ROOT, ", remote 0x%x rkey 0x%x",
                NativeMemory.getLong(wr + SendWrDescriptor.RDMA_REMOTE_ADDR_OFFSET),
                NativeMemory.getInt(wr + SendWrDescriptor.RDMA_RKEY_OFFSET));
        return String.format(
                Locale.ROOT, "%s wr_id=0x%x, %d bytes in %d elements%s%s", WrOpcode.fromCode(opcode), wrId(sequence),
                Integer.toUnsignedLong(byteCount(sequence)),
                NativeMemory.getInt(wr + SendWrDescriptor.NUM_SGE_OFFSET),
                isSignaled(sequence) ? ", signaled" : "", target);
    }

    /** Shows the buffers of a request; none of one whose data is in the slot. */
    final void buffers(final long sequence, final BufferSink to) {
        final long wr = address(sequence);
        if ((NativeMemory.getInt(wr + SendSlotDescriptor.FLAGS_OFFSET) & SendFlags.INLINE) != 0) {
            return;
        }
        final int numSge = NativeMemory.getInt(wr + SendWrDescriptor.NUM_SGE_OFFSET);
        to.buffers("vSQ", sequence, wr + SendSlotDescriptor.SGE_OFFSET, numSge);
    }

    /** Bytes that a READ brings; for the completion of one that was decided by negotiation. */
    final int byteCount(final long sequence) {
        final long wr = address(sequence);
        int total = 0;
        for (int i = 0; i < NativeMemory.getInt(wr + SendWrDescriptor.NUM_SGE_OFFSET); i++) {
            total += SgeDescriptor.length(wr + SendSlotDescriptor.SGE_OFFSET + (long) i * SgeDescriptor.SIZE);
        }
        return total;
    }
}
