package io.vhca.bond.queue;

import io.vhca.api.Errno;
import io.vhca.api.VerbsException;
import io.vhca.bond.wire.VirtualKeyDescriptor;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Virtual keys of this bond's memory regions: dense indexes with a generation, translated to the physical keys of one
 * member by one array row; {@link VirtualKeyDescriptor} has the layout.
 *
 * <p>A region's vlkey and vrkey are the same number. Writers hold the bond's control lock and publish a new snapshot;
 * readers take the snapshot once per call. A key that is not valid translates to {@link #INVALID}, which no device
 * hands out, so that hardware itself reports the protection error.
 */
public final class LocalKeys {
    /** All ones: devices hand out keys far below. */
    public static final int INVALID = -1;

    private static final int FIRST_SIZE = 16;

    private int memberCount;
    private int rowShift;
    private final int firstGeneration;
    private volatile Snapshot snapshot;
    private int[] generations = new int[FIRST_SIZE];
    /** First in, first out: an index that was given back is the last to be met again. */
    private final ArrayDeque<Integer> freeIndexes = new ArrayDeque<>();
    private @Nullable RegisteredMemory[] regions = new RegisteredMemory[FIRST_SIZE];
    private IntConsumer listener = unused -> {};
    private int used;

    public LocalKeys(final int memberCount) {
        this(memberCount, 0);
    }

    /** @param firstGeneration where generations begin: bonds that differ in it do not take each other's keys */
    public LocalKeys(final int memberCount, final int firstGeneration) {
        this.memberCount = memberCount;
        this.firstGeneration = firstGeneration;
        rowShift = rowShift(memberCount);
        snapshot = new Snapshot(new int[FIRST_SIZE << rowShift], rowShift, memberCount);
        // No key has all ones at index 0, so that key 0, which an application forgot to set, is not valid.
        snapshot.table[0] = INVALID;
    }

    /**
     * What the data path reads; never changed in a way that an older reader could misread.
     *
     * <pre>
     *   table, one row an index:  | virtual key | lkey of member 0 .. n-1 | rkey of member 0 .. n-1 | unused |
     * </pre>
     */
    public record Snapshot(int[] table, int rowShift, int memberCount) {
        public int lkey(final int virtualKey, final int member) {
            final int row = VirtualKeyDescriptor.index(virtualKey) << rowShift;
            final int[] keys = table;
            return row < keys.length && keys[row] == virtualKey ? keys[row + 1 + member] : INVALID;
        }

        /** Whether a region has that key now. */
        public boolean isValid(final int virtualKey) {
            final int row = VirtualKeyDescriptor.index(virtualKey) << rowShift;
            return row < table.length && table[row] == virtualKey;
        }

        public int rkey(final int virtualKey, final int member) {
            return lkey(virtualKey, memberCount + member);
        }

        private int row(final int index) {
            return index << rowShift;
        }
    }

    public Snapshot snapshot() {
        return snapshot;
    }

    /** Takes a virtual key for a region; member keys are set one by one by {@link #bind}. */
    public int allocate() {
        final Integer free = freeIndexes.poll();
        final int index;
        if (free != null) {
            index = free;
        } else {
            // Index 0 stays unused: an application that forgot its key posts 0, and must not hit a region.
            if (used + 1 == maxIndex()) {
                throw new VerbsException("regMr", Errno.ENOMEM, "bond", "all " + used + " keys are in use");
            }
            if (used + 1 >= generations.length) {
                grow();
            }
            index = ++used;
        }
        final int virtualKey = VirtualKeyDescriptor.key(index, firstGeneration + ++generations[index]);
        final int row = snapshot.row(index);
        Arrays.fill(snapshot.table, row + 1, row + 1 + 2 * memberCount, INVALID);
        snapshot.table[row] = virtualKey;
        republish();
        // It may have come round, and who asked for it meanwhile was told that there is none.
        listener.accept(virtualKey);
        return virtualKey;
    }

    /** Below what the layout of a key allows, and an array. */
    private int maxIndex() {
        return Math.min(VirtualKeyDescriptor.MAX_INDEX, Integer.MAX_VALUE >>> rowShift + 1);
    }

    /** There are members up to that count: each key has room for theirs from now on. */
    public void members(final int count) {
        if (count <= memberCount) {
            return;
        }
        final Snapshot old = snapshot;
        final int shift = rowShift(count);
        final int[] table = new int[generations.length << shift];
        for (int index = 0; index < generations.length; index++) {
            final int from = index << rowShift;
            final int to = index << shift;
            table[to] = old.table[from];
            Arrays.fill(table, to + 1, to + 1 + 2 * count, INVALID);
            System.arraycopy(old.table, from + 1, table, to + 1, memberCount);
            System.arraycopy(old.table, from + 1 + memberCount, table, to + 1 + count, memberCount);
        }
        memberCount = count;
        rowShift = shift;
        snapshot = new Snapshot(table, shift, count);
    }

    private static int rowShift(final int memberCount) {
        return Integer.SIZE - Integer.numberOfLeadingZeros(2 * memberCount);
    }

    /** Sets the physical keys of a region on one member. */
    public void bind(final int virtualKey, final int member, final int lkey, final int rkey) {
        final int row = snapshot.row(VirtualKeyDescriptor.index(virtualKey));
        snapshot.table[row + 1 + member] = lkey;
        snapshot.table[row + 1 + memberCount + member] = rkey;
        republish();
    }

    /** What all keys have in common that mean one region after another, whoever's they are. */
    public static int index(final int virtualKey) {
        return VirtualKeyDescriptor.index(virtualKey);
    }

    /** Whose key it is: for what the bond itself does with the memory. Control lock. */
    public void owner(final int virtualKey, final RegisteredMemory region) {
        regions[VirtualKeyDescriptor.index(virtualKey)] = region;
    }

    /** The region of a valid key, or null. Control lock. */
    public @Nullable RegisteredMemory region(final int virtualKey) {
        return snapshot.isValid(virtualKey) ? regions[VirtualKeyDescriptor.index(virtualKey)] : null;
    }

    /** Who is told of each key that comes to mean something else: peers may know it. */
    public void onChange(final IntConsumer told) {
        listener = told;
    }

    /** Tells that a key that is in use may be known as it was long ago. */
    public void changed(final int virtualKey) {
        listener.accept(virtualKey);
    }

    /** Gives a virtual key back: it is invalid at once, and its index returns with another generation. */
    public void release(final int virtualKey) {
        final int index = VirtualKeyDescriptor.index(virtualKey);
        snapshot.table[snapshot.row(index)] = 0;
        regions[index] = null;
        republish();
        freeIndexes.add(index);
        listener.accept(virtualKey);
    }

    private void grow() {
        final int size = generations.length * 2;
        // All of them or none: where there is no memory for one, the next who asks grows them again.
        final int[] longerGenerations = Arrays.copyOf(generations, size);
        final @Nullable RegisteredMemory[] longerRegions = Arrays.copyOf(regions, size);
        snapshot = new Snapshot(Arrays.copyOf(snapshot.table, size << rowShift), rowShift, memberCount);
        generations = longerGenerations;
        regions = longerRegions;
    }

    private void republish() {
        // The volatile write orders the array stores above before any later reader's look.
        snapshot = new Snapshot(snapshot.table, rowShift, memberCount);
    }
}
