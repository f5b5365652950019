package io.vhca.bond;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * What this bond knows of the regions of one peer bond on one of its members, in one coming of that member's device:
 * virtual remote key to physical key. Dense by the key's index, filled by the control link. Writers hold the bond's
 * control lock.
 */
final class RemoteKeys {
    private final int generation;
    private volatile @Nullable Entry[] entries = new Entry[16];

    /** One resolved key; {@code rkey} is {@link LocalKeys#INVALID} when the peer does not know the virtual key. */
    record Entry(int virtualKey, int rkey) {}

    /** @param generation of the peer's member, as its records carry it */
    RemoteKeys(final int generation) {
        this.generation = generation;
    }

    int generation() {
        return generation;
    }

    /** The resolved entry, or null while the key is not known here. */
    @Nullable Entry find(final int virtualKey) {
        final int index = VirtualKeyDescriptor.index(virtualKey);
        final @Nullable Entry[] table = entries;
        if (index >= table.length) {
            return index >= VirtualKeyDescriptor.MAX_INDEX ? new Entry(virtualKey, LocalKeys.INVALID) : null;
        }
        final Entry entry = table[index];
        return entry != null && entry.virtualKey == virtualKey ? entry : null;
    }

    /** The peer deregistered the region: the same key may come to mean another one. */
    void remove(final int virtualKey) {
        final int index = VirtualKeyDescriptor.index(virtualKey);
        final @Nullable Entry[] table = entries;
        final Entry entry = index < table.length ? table[index] : null;
        if (entry != null && entry.virtualKey == virtualKey) {
            table[index] = null;
            entries = table;
        }
    }

    /** Nobody will tell any more what is deregistered. */
    void clear() {
        entries = new Entry[16];
    }

    void put(final int virtualKey, final int rkey) {
        final int index = VirtualKeyDescriptor.index(virtualKey);
        if (index >= VirtualKeyDescriptor.MAX_INDEX) {
            return;
        }
        @Nullable Entry[] table = entries;
        if (index >= table.length) {
            table = Arrays.copyOf(table, Math.min(VirtualKeyDescriptor.MAX_INDEX, Integer.highestOneBit(index) * 2));
        }
        table[index] = new Entry(virtualKey, rkey);
        entries = table;
    }
}
