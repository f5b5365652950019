package io.vhca.bond.queue;

import io.vhca.api.NativeMemory;
import io.vhca.api.WcDescriptor;
import java.lang.foreign.Arena;
import java.util.function.LongConsumer;

/**
 * Completions that the application is owed: found while draining, decided by negotiation, or made up by a failure.
 * Polled before anything else. Guarded by the CQ's gate; grows on the control path only.
 */
public final class OwedRing implements AutoCloseable {
    private final LongConsumer allocated;
    private Arena arena = Arena.ofShared();
    private long base;
    private int mask;
    private long head;
    private long tail;

    /** @param allocated is told how many bytes it has, now and whenever it grows */
    public OwedRing(final int capacity, final LongConsumer allocated) {
        this.allocated = allocated;
        allocate(Integer.highestOneBit(Math.max(1, capacity * 2 - 1)));
    }

    private void allocate(final int slots) {
        base = arena.allocate((long) slots * WcDescriptor.SIZE, 64).address();
        mask = slots - 1;
        allocated.accept((long) slots * WcDescriptor.SIZE);
    }

    public boolean isEmpty() {
        return head == tail;
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

    /** Drops what is owed to a QP that is being destroyed, as hardware does. */
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
        final Arena oldArena = arena;
        final long oldBase = base;
        final int oldMask = mask;
        arena = Arena.ofShared();
        allocate((oldMask + 1) * 2);
        for (long i = head; i != tail; i++) {
            NativeMemory.copy(
                    oldBase + (i & oldMask) * WcDescriptor.SIZE, base + (i & mask) * WcDescriptor.SIZE,
                    WcDescriptor.SIZE);
        }
        oldArena.close();
    }

    @Override
    public void close() {
        if (arena.scope().isAlive()) {
            arena.close();
        }
    }
}
