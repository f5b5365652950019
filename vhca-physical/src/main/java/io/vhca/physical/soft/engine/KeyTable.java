package io.vhca.physical.soft.engine;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The memory regions by key: 20 bits of index, 12 of generation, so that an old key finds no new region. Freed indexes
 * wait in a queue, which makes a key come back as late as possible. The engine's owner.
 */
final class KeyTable {
    static final int MAX_REGIONS = (1 << 20) - 1;
    private static final int GENERATION_BITS = 12;
    private static final int GENERATION_MASK = (1 << GENERATION_BITS) - 1;

    private @Nullable SoftMr[] regions = new SoftMr[8];
    private short[] generations = new short[8];
    private int[] freed = new int[8];
    private int freedHead;
    private int freedCount;
    private int used = 1;
    private int live;
    private final int firstGeneration;

    KeyTable(final long seed) {
        firstGeneration = (int) (seed >>> 20) & GENERATION_MASK;
    }

    int live() {
        return live;
    }

    /** A key that no region has; {@link #put} gives it one. */
    int allocate() {
        final int index;
        // A few freed indexes are kept waiting, so that one that closes and opens a region does not burn generations.
        if (freedCount > 0 && (freedCount >= regions.length / 2 || used > MAX_REGIONS)) {
            index = freed[freedHead];
            freedHead = freedHead + 1 == freed.length ? 0 : freedHead + 1;
            freedCount--;
        } else {
            index = used++;
            if (index == regions.length) {
                grow();
            }
        }
        return index << GENERATION_BITS | (firstGeneration + generations[index] & GENERATION_MASK);
    }

    void put(final int key, final SoftMr region) {
        regions[key >>> GENERATION_BITS] = region;
        live++;
    }

    void remove(final int key) {
        final int index = key >>> GENERATION_BITS;
        regions[index] = null;
        generations[index]++;
        live--;
        final int tail = freedHead + freedCount;
        freed[tail < freed.length ? tail : tail - freed.length] = index;
        freedCount++;
    }

    /** True when the key is alive, of that domain, covers the range and grants all of {@code access}. */
    boolean allows(
            final int key, final SoftPd pd, final long address, final long lengthBytes, final int access) {
        final int index = key >>> GENERATION_BITS;
        if (index >= regions.length) {
            return false;
        }
        final SoftMr region = regions[index];
        return region != null
                && region.lkey() == key
                && region.pd() == pd
                && (region.access() & access) == access
                && lengthBytes <= region.lengthBytes()
                && address - region.addr() >= 0
                && address - region.addr() <= region.lengthBytes() - lengthBytes;
    }

    private void grow() {
        final int[] waiting = new int[regions.length * 2];
        for (int i = 0; i < freedCount; i++) {
            waiting[i] = freed[(freedHead + i) % freed.length];
        }
        freed = waiting;
        freedHead = 0;
        regions = Arrays.copyOf(regions, regions.length * 2);
        generations = Arrays.copyOf(generations, generations.length * 2);
    }
}
