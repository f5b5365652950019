package io.vhca.bond.queue;

import io.vhca.api.NativeMemory;
import io.vhca.api.RecvWrDescriptor;
import io.vhca.bond.memory.BlockMemory;
import io.vhca.bond.memory.BufferSink;
import io.vhca.bond.memory.CursorSink;
import io.vhca.bond.memory.Gate;
import io.vhca.bond.memory.NativeBlock;
import java.util.Arrays;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The receives of a vSRQ: native slots ({@link RecvSlots}) that are free, waiting in the order they were posted, or
 * with a physical SRQ. Completed in any order. Inside the vSRQ's gate.
 */
public final class SharedSlots implements AutoCloseable, BlockMemory {
    private static final String TAG = "vSRQ";

    private final String name;
    private final Gate gate;
    private final Runnable overran;
    private final NativeBlock block;
    private final RecvSlots slots;
    private final int capacity;
    private final int[] free;
    private final @Nullable Holder[] owners;
    /** When a slot was posted: a number that grows; -1 for a free one. */
    private final long[] postedAt;
    private final int[] waiting;
    private int freeCount;
    private long head;
    private long tail;
    private long posts;

    /** A physical queue that has receives. Inside the vSRQ's gate. */
    public static class Holder {
        private int outstanding;

        /** Receives that the hardware has. */
        public final int outstanding() {
            return outstanding;
        }
    }

    /**
     * Allocates them.
     *
     * @param owner   the bond's name, for the markers
     * @param number  of the vSRQ, for the same
     * @param gate    the vSRQ's
     * @param overran is called when somebody saw that a marker is broken; any thread
     */
    public SharedSlots(
            final String owner,
            final int number,
            final int capacity,
            final int maxSge,
            final Gate gate,
            final Runnable overran) {
        this.gate = gate;
        this.overran = overran;
        name = owner + " srq " + number;
        this.capacity = capacity;
        free = new int[capacity];
        owners = new Holder[capacity];
        postedAt = new long[capacity];
        Arrays.fill(postedAt, -1);
        waiting = new int[RecvSlots.ringSize(capacity)];
        for (int i = 0; i < capacity; i++) {
            free[i] = capacity - 1 - i;
        }
        freeCount = capacity;
        // The last: where the heap has no room for the arrays nobody would free it.
        block = new NativeBlock(owner, number, RecvSlots.bytes(capacity, maxSge));
        slots = new RecvSlots(block, TAG, capacity, maxSge);
    }

    /** What was allocated. */
    public long bytes() {
        return block.bytes();
    }

    @Override
    public void gates(final Consumer<Gate> to) {
        to.accept(gate);
    }

    @Override
    public NativeBlock nativeBlock() {
        return block;
    }

    @Override
    public void cursors(final CursorSink to) {
        to.cursor(TAG, "capacity", capacity);
        to.cursor(TAG, "posted", count());
        to.cursor(TAG, "waiting", tail - head);
    }

    @Override
    public void buffers(final BufferSink to) {
        for (int index = 0; index < capacity; index++) {
            if (postedAt[index] >= 0) {
                slots.buffers(index, to);
            }
        }
    }

    @Override
    public void onOverrun() {
        overran.run();
    }

    @Override
    public String toString() {
        return name;
    }

    @Override
    public void close() {
        block.close();
    }

    public long address(final int index) {
        return slots.address(index);
    }

    public boolean isFull() {
        return freeCount == 0;
    }

    /** Whether a receive has no more elements than a slot. */
    public boolean holds(final int numSge) {
        return slots.holds(numSge);
    }

    /** Receives that no hardware has yet. */
    public int waiting() {
        return (int) Math.max(0, tail - head);
    }

    /** Receives that are posted and not completed. */
    public int count() {
        return capacity - freeCount;
    }

    public boolean isWaiting() {
        return head != tail;
    }

    /** The oldest of those that wait. */
    public int firstWaiting() {
        return waiting[(int) head & waiting.length - 1];
    }

    /** Takes a request over; it waits. */
    public void post(final long wr, final int numSge) {
        final int index = free[--freeCount];
        slots.take(address(index), wr, numSge);
        postedAt[index] = posts++;
        waiting[(int) tail++ & waiting.length - 1] = index;
    }

    /** Makes a slot ready for a member. */
    public void translate(final int index, final LocalKeys.Snapshot keys, final int member, final long wrId) {
        final long wr = address(index);
        slots.translate(wr, keys, member, wrId);
        NativeMemory.putLong(wr + RecvWrDescriptor.NEXT_OFFSET, 0);
    }

    /** The oldest of those that wait is with the hardware now. */
    public void give(final Holder to) {
        owners[firstWaiting()] = to;
        head++;
        to.outstanding++;
    }

    /** The application's own. */
    public long wrId(final int index) {
        return slots.wrId(index);
    }

    /** A receive is completed; false where it was taken back from that hardware before, and may be elsewhere. */
    public boolean complete(final int index, final Holder by) {
        if (!leaves(index, by)) {
            return false;
        }
        postedAt[index] = -1;
        free[freeCount++] = index;
        return true;
    }

    /**
     * A receive came back unused: it waits again, at the place that its age gives it. Nothing where it was taken back
     * from that hardware before.
     */
    public void comeBack(final int index, final Holder from) {
        if (leaves(index, from)) {
            waiting[(int) --head & waiting.length - 1] = index;
            sortWaiting();
        }
    }

    private boolean leaves(final int index, final Holder by) {
        if (owners[index] != by) {
            return false;
        }
        by.outstanding--;
        owners[index] = null;
        return true;
    }

    /** All that a physical SRQ had comes back. */
    public void comeBack(final Holder from) {
        for (int index = 0; index < capacity; index++) {
            if (owners[index] == from) {
                owners[index] = null;
                waiting[(int) --head & waiting.length - 1] = index;
            }
        }
        from.outstanding = 0;
        sortWaiting();
    }

    private void sortWaiting() {
        final int count = (int) (tail - head);
        final long[] order = new long[count];
        for (int i = 0; i < count; i++) {
            final int index = waiting[(int) (head + i) & waiting.length - 1];
            // By how long ago: the count itself, times the capacity, is too great after 2^41 receives.
            order[i] = (postedAt[index] - posts) * capacity + index;
        }
        Arrays.sort(order);
        for (int i = 0; i < count; i++) {
            waiting[(int) (head + i) & waiting.length - 1] = Math.floorMod(order[i], capacity);
        }
    }
}
