package io.vhca.bond;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * What this bond knows of one peer bond's regions: virtual remote key to the physical key on each of the peer's
 * members. Dense by the key's index, filled by the control link. Writers hold the bond's control lock.
 */
final class RemoteKeys {
    private volatile @Nullable Entry[] entries = new Entry[16];

    /** One resolved key; {@code rkeys} by the peer's member index, empty when the peer does not know the key. */
    record Entry(int virtualKey, int[] rkeys) {}

    /** The resolved entry, or null while the key is not known here. */
    @Nullable Entry find(final int virtualKey) {
        final int index = VirtualKeyDescriptor.index(virtualKey);
        final @Nullable Entry[] table = entries;
        if (index >= table.length) {
            return index >= VirtualKeyDescriptor.MAX_INDEX ? new Entry(virtualKey, new int[0]) : null;
        }
        final Entry entry = table[index];
        return entry != null && entry.virtualKey == virtualKey ? entry : null;
    }

    void put(final Entry entry) {
        final int index = VirtualKeyDescriptor.index(entry.virtualKey);
        if (index >= VirtualKeyDescriptor.MAX_INDEX) {
            return;
        }
        @Nullable Entry[] table = entries;
        if (index >= table.length) {
            table = Arrays.copyOf(table, Math.min(VirtualKeyDescriptor.MAX_INDEX, Integer.highestOneBit(index) * 2));
        }
        table[index] = entry;
        entries = table;
    }
}
