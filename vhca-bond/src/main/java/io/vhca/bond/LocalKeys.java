package io.vhca.bond;

import io.vhca.api.Errno;
import io.vhca.api.VerbsException;
import java.util.ArrayDeque;
import java.util.Arrays;

/**
 * Virtual keys of this bond's memory regions: dense indexes with a generation, translated to the physical keys of one
 * member by two array reads; {@link VirtualKeyDescriptor} has the layout.
 *
 * <p>A region's vlkey and vrkey are the same number. Writers hold the bond's control lock and publish a new snapshot;
 * readers take the snapshot once per call. A key that is not valid translates to {@link #INVALID}, which no device
 * hands out, so that hardware itself reports the protection error.
 */
final class LocalKeys {
    /** All ones: devices hand out keys far below. */
    static final int INVALID = -1;

    private final int memberCount;
    private volatile Snapshot snapshot;
    private int[] generations = new int[16];
    /** First in, first out: an index that was given back is the last to be met again. */
    private final ArrayDeque<Integer> freeIndexes = new ArrayDeque<>();
    private int used;

    LocalKeys(final int memberCount) {
        this.memberCount = memberCount;
        snapshot = new Snapshot(new int[16], new int[memberCount][16], new int[memberCount][16]);
        // No key has all ones at index 0, so that key 0, which an application forgot to set, is not valid.
        snapshot.virtualKeys[0] = INVALID;
    }

    /** What the data path reads; never changed in a way that an older reader could misread. */
    record Snapshot(int[] virtualKeys, int[][] lkeys, int[][] rkeys) {
        int lkey(final int virtualKey, final int member) {
            final int index = VirtualKeyDescriptor.index(virtualKey);
            final int[] keys = virtualKeys;
            return index < keys.length && keys[index] == virtualKey ? lkeys[member][index] : INVALID;
        }

        boolean isValid(final int virtualKey) {
            final int index = VirtualKeyDescriptor.index(virtualKey);
            return index < virtualKeys.length && virtualKeys[index] == virtualKey;
        }

        int rkey(final int virtualKey, final int member) {
            final int index = VirtualKeyDescriptor.index(virtualKey);
            final int[] keys = virtualKeys;
            return index < keys.length && keys[index] == virtualKey ? rkeys[member][index] : INVALID;
        }
    }

    Snapshot snapshot() {
        return snapshot;
    }

    /** Takes a virtual key for a region; member keys are set one by one by {@link #bind}. */
    int allocate() {
        final Integer free = freeIndexes.poll();
        final int index;
        if (free != null) {
            index = free;
        } else {
            // Index 0 stays unused: an application that forgot its key posts 0, and must not hit a region.
            if (used + 1 == VirtualKeyDescriptor.MAX_INDEX) {
                throw new VerbsException("regMr", Errno.ENOMEM, "bond", "all " + used + " keys are in use");
            }
            index = ++used;
            if (index == generations.length) {
                grow();
            }
        }
        final int virtualKey = VirtualKeyDescriptor.key(index, ++generations[index]);
        for (int member = 0; member < memberCount; member++) {
            snapshot.lkeys[member][index] = INVALID;
            snapshot.rkeys[member][index] = INVALID;
        }
        snapshot.virtualKeys[index] = virtualKey;
        republish();
        return virtualKey;
    }

    /** Sets the physical keys of a region on one member. */
    void bind(final int virtualKey, final int member, final int lkey, final int rkey) {
        final int index = VirtualKeyDescriptor.index(virtualKey);
        snapshot.lkeys[member][index] = lkey;
        snapshot.rkeys[member][index] = rkey;
        republish();
    }

    /** Gives a virtual key back: it is invalid at once, and its index returns with another generation. */
    void release(final int virtualKey) {
        final int index = VirtualKeyDescriptor.index(virtualKey);
        snapshot.virtualKeys[index] = 0;
        republish();
        freeIndexes.add(index);
    }

    private void grow() {
        final int size = generations.length * 2;
        generations = Arrays.copyOf(generations, size);
        final int[][] lkeys = new int[memberCount][];
        final int[][] rkeys = new int[memberCount][];
        for (int member = 0; member < memberCount; member++) {
            lkeys[member] = Arrays.copyOf(snapshot.lkeys[member], size);
            rkeys[member] = Arrays.copyOf(snapshot.rkeys[member], size);
        }
        snapshot = new Snapshot(Arrays.copyOf(snapshot.virtualKeys, size), lkeys, rkeys);
    }

    private void republish() {
        // The volatile write orders the array stores above before any later reader's look.
        snapshot = new Snapshot(snapshot.virtualKeys, snapshot.lkeys, snapshot.rkeys);
    }
}
