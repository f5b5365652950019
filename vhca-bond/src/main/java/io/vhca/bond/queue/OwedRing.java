package io.vhca.bond.queue;

import io.vhca.api.NativeMemory;
import io.vhca.api.WcDescriptor;
import io.vhca.bond.memory.BlockMemory;
import io.vhca.bond.memory.CursorSink;
import io.vhca.bond.memory.Gate;
import io.vhca.bond.memory.NativeBlock;
import java.util.function.Consumer;
import java.util.function.LongConsumer;

/**
 * Completions that the application is owed: found while draining, decided by negotiation, or made up by a failure.
 * Polled before anything else. Guarded by the CQ's gate; grows on the control path only.
 *
 * <p>It has markers like the queues of a vQP. Where one is broken, completions may be wrong and no queue pair is to
 * blame: it is told when somebody looks, when the ring grows out of that memory, and when its CQ is closed.
 */
public final class OwedRing implements AutoCloseable, BlockMemory {
    private static final String TAG = "vCQ";

    private final String owner;
    private final int number;
    private final LongConsumer allocated;
    private final Consumer<String> overran;
    private NativeBlock block;
    private boolean isTold;
    private long base;
    private int mask;
    private long head;
    private long tail;

    /**
     * Allocates it.
     *
     * @param owner     the bond's name, for the markers
     * @param number    of the vCQ, for the same
     * @param allocated is told how many bytes it has, now and whenever it grows
     * @param overran   is told once which markers are broken
     */
    public OwedRing(
            final String owner, final int number, final int capacity, final LongConsumer allocated,
            final Consumer<String> overran) {
        this.owner = owner;
        this.number = number;
        this.allocated = allocated;
        this.overran = overran;
        final int slots = Integer.highestOneBit(Math.max(1, capacity * 2 - 1));
        block = allocate(slots);
        begin(slots);
    }

    private NativeBlock allocate(final int slots) {
        return new NativeBlock(owner, number, NativeBlock.bytesOf((long) slots * WcDescriptor.SIZE));
    }

    /** All of the block is one part: as many entries. */
    private void begin(final int slots) {
        base = block.part(TAG, (long) slots * WcDescriptor.SIZE, WcDescriptor.SIZE, WcDescriptor.SIZE);
        mask = slots - 1;
        allocated.accept(block.bytes());
    }

    // ---- its memory, for who looks: control lock --------------------------------------------------------------------

    @Override
    public void gates(final Consumer<Gate> to) {
        // That of its CQ, which shows it itself and is entered first.
    }

    @Override
    public NativeBlock nativeBlock() {
        return block;
    }

    @Override
    public void cursors(final CursorSink to) {
        to.cursor(TAG, "retired", head);
        to.cursor(TAG, "producer", tail);
    }

    @Override
    public void onOverrun() {
        if (!isTold) {
            isTold = true;
            overran.accept(damage());
        }
    }

    /** Tells where a marker is broken. */
    private void look() {
        if (!block.isWhole()) {
            onOverrun();
        }
    }

    @Override
    public String toString() {
        return owner + " cq " + number;
    }

    // ---- what is owed: inside the CQ's gate -------------------------------------------------------------------------

    public boolean isEmpty() {
        return head == tail;
    }

    /** Entries that are owed, as seen in passing. Any thread. */
    public int countAtGlance() {
        return (int) Math.max(0, tail - head);
    }

    /** Address of the next free entry, zeroed; {@link #commit} makes it owed. Grows when full: nothing owed is lost. */
    public long claim() {
        if (tail - head > mask) {
            grow();
        }
        final long entry = base + (tail & mask) * WcDescriptor.SIZE;
        NativeMemory.fill(entry, WcDescriptor.SIZE, (byte) 0);
        return entry;
    }

    public void commit() {
        tail++;
    }

    /** Moves at most {@code max} entries to the application's array. */
    public int drainTo(final long wcAddress, final int max) {
        int count = 0;
        while (count < max && head != tail) {
            NativeMemory.copy(
                    base + (head & mask) * WcDescriptor.SIZE,
                    wcAddress + (long) count * WcDescriptor.SIZE,
                    WcDescriptor.SIZE);
            head++;
            count++;
        }
        return count;
    }

    /** Drops what is owed to a QP that is being destroyed or reset, as hardware does. */
    public void purge(final int qpNum) {
        long kept = head;
        for (long i = head; i != tail; i++) {
            final long from = base + (i & mask) * WcDescriptor.SIZE;
            if (NativeMemory.getInt(from + WcDescriptor.QP_NUM_OFFSET) != qpNum) {
                if (kept != i) {
                    NativeMemory.copy(from, base + (kept & mask) * WcDescriptor.SIZE, WcDescriptor.SIZE);
                }
                kept++;
            }
        }
        tail = kept;
    }

    private void grow() {
        look();
        final NativeBlock old = block;
        final long oldBase = base;
        final int oldMask = mask;
        block = allocate((oldMask + 1) * 2);
        begin((oldMask + 1) * 2);
        for (long i = head; i != tail; i++) {
            NativeMemory.copy(
                    oldBase + (i & oldMask) * WcDescriptor.SIZE, base + (i & mask) * WcDescriptor.SIZE,
                    WcDescriptor.SIZE);
        }
        old.close();
    }

    /** Looks once more, and frees it. Once. */
    @Override
    public void close() {
        look();
        block.close();
    }
}
