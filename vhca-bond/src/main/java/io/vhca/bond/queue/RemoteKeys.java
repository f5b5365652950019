package io.vhca.bond.queue;

import io.vhca.bond.wire.VirtualKeyDescriptor;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * What this bond knows of the regions of one peer bond on one of its members, in one coming of that member's device:
 * virtual remote key to physical key. Dense by the key's index, filled by the control link. Writers hold the bond's
 * control lock.
 */
public final class RemoteKeys {
    /** Of a peer without a bond: its keys are what they are. */
    public static final RemoteKeys PLAIN = new RemoteKeys(0);

    private final int generation;
    private volatile @Nullable Entry[] entries = new Entry[16];
    /**
     * Keys that the peer does not know, apart from the others: a stale key and a living one of the same index may be
     * needed at once, by a WRITE and its mark, and must not drive each other out.
     */
    private volatile @Nullable Entry[] unknown = new Entry[16];

    /** One resolved key; {@code rkey} is {@link LocalKeys#INVALID} when the peer does not know the virtual key. */
    public record Entry(int virtualKey, int rkey) {}

    /** @param generation of the peer's member, as its records carry it */
    public RemoteKeys(final int generation) {
        this.generation = generation;
    }

    public int generation() {
        return generation;
    }

    /** The resolved entry, or null while the key is not known here. */
    public @Nullable Entry find(final int virtualKey) {
        final int index = VirtualKeyDescriptor.index(virtualKey);
        final @Nullable Entry[] table = entries;
        final Entry entry = index < table.length ? table[index] : null;
        return entry != null && entry.virtualKey == virtualKey ? entry : findUnknown(virtualKey, index);
    }

    private @Nullable Entry findUnknown(final int virtualKey, final int index) {
        if (virtualKey == 0 || index >= VirtualKeyDescriptor.MAX_INDEX) {
            // Nobody has such a key: there is nothing to ask.
            return new Entry(virtualKey, LocalKeys.INVALID);
        }
        final @Nullable Entry[] table = unknown;
        final Entry entry = index < table.length ? table[index] : null;
        return entry != null && entry.virtualKey == virtualKey ? entry : null;
    }

    /** The peer deregistered the region: the same key may come to mean another one. */
    public void remove(final int virtualKey) {
        entries = without(entries, virtualKey);
        unknown = without(unknown, virtualKey);
    }

    private static @Nullable Entry[] without(final @Nullable Entry[] table, final int virtualKey) {
        final int index = VirtualKeyDescriptor.index(virtualKey);
        final Entry entry = index < table.length ? table[index] : null;
        if (entry != null && entry.virtualKey == virtualKey) {
            table[index] = null;
        }
        return table;
    }

    /** Nobody will tell any more what is deregistered. */
    public void clear() {
        entries = new Entry[16];
        unknown = new Entry[16];
    }

    public void put(final int virtualKey, final int rkey) {
        final int index = VirtualKeyDescriptor.index(virtualKey);
        if (index >= VirtualKeyDescriptor.MAX_INDEX) {
            return;
        }
        if (rkey == LocalKeys.INVALID) {
            entries = without(entries, virtualKey);
            unknown = with(unknown, index, new Entry(virtualKey, rkey));
        } else {
            entries = with(entries, index, new Entry(virtualKey, rkey));
        }
    }

    private static @Nullable Entry[] with(final @Nullable Entry[] table, final int index, final Entry entry) {
        final @Nullable Entry[] wide = index < table.length
                ? table
                : Arrays.copyOf(table, Math.min(VirtualKeyDescriptor.MAX_INDEX, Integer.highestOneBit(index) * 2));
        wide[index] = entry;
        return wide;
    }
}
