package io.vhca.physical.soft.engine.memory;

import io.vhca.physical.soft.engine.core.EngineCore;
import io.vhca.physical.soft.engine.core.UseCount;
import java.util.Arrays;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * The memory regions by key. Freed indexes wait in a queue, so that a key comes back as late as possible. The engine's
 * owner.
 *
 * <pre>
 *   31          12 11           0
 *   |    index    | generation  |      an old key finds no new region
 * </pre>
 */
public final class KeyTable {
    private static final int MAX_REGIONS = (1 << 20) - 1;
    private static final int GENERATION_BITS = 12;
    private static final int GENERATION_MASK = (1 << GENERATION_BITS) - 1;

    private @Nullable SoftMr[] regions = new SoftMr[8];
    private short[] generations = new short[8];
    private int[] freed = new int[8];
    private int freedHead;
    private int freedCount;
    private int used = 1;
    private final int most;
    private final UseCount live;
    private final RandomGenerator random;

    /** Empty; {@code random} draws the first generation of each index. */
    public KeyTable(final EngineCore core, final RandomGenerator random) {
        most = Math.min(core.config().maxMr(), MAX_REGIONS);
        live = new UseCount(core);
        this.random = random;
    }

    /** A key that no region has; {@link #put} gives it one. ENOMEM where the device has no more. */
    int allocate() {
        live.requireBelow("regMr", most);
        final int index;
        // A few freed indexes are kept waiting, so that one that closes and opens a region does not burn generations.
        if (freedCount > 0 && (freedCount >= regions.length / 2 || used > MAX_REGIONS)) {
            index = freed[freedHead];
            freedHead = freedHead + 1 == freed.length ? 0 : freedHead + 1;
            freedCount--;
        } else {
            if (used == regions.length) {
                grow();
            }
            index = used++;
            generations[index] = (short) random.nextInt(1 << GENERATION_BITS);
        }
        return index << GENERATION_BITS | generations[index] & GENERATION_MASK;
    }

    void put(final SoftMr region) {
        final int index = region.lkey() >>> GENERATION_BITS;
        assert regions[index] == null : "the key has a region";
        regions[index] = region;
        live.added();
    }

    void remove(final SoftMr region) {
        final int index = region.lkey() >>> GENERATION_BITS;
        assert regions[index] == region : "the key is another region's";
        regions[index] = null;
        generations[index]++;
        live.removed();
        final int tail = freedHead + freedCount;
        freed[tail < freed.length ? tail : tail - freed.length] = index;
        freedCount++;
    }

    /** True when the key is alive, of that domain, covers the range and grants all of {@code access}. */
    boolean allows(
            final int key, final MemoryDomain domain, final long address, final long lengthBytes, final int access) {
        final int index = key >>> GENERATION_BITS;
        if (index >= regions.length) {
            return false;
        }
        final SoftMr region = regions[index];
        return region != null
                && region.lkey() == key
                && region.domain() == domain
                && (region.access() & access) == access
                && lengthBytes <= region.lengthBytes()
                && address - region.addr() >= 0
                && address - region.addr() <= region.lengthBytes() - lengthBytes;
    }

    /** All of it, or nothing where there is no memory. */
    private void grow() {
        final SoftMr[] more = Arrays.copyOf(regions, regions.length * 2);
        final short[] moreGenerations = Arrays.copyOf(generations, generations.length * 2);
        final int[] waiting = new int[regions.length * 2];
        for (int i = 0; i < freedCount; i++) {
            waiting[i] = freed[(freedHead + i) % freed.length];
        }
        freed = waiting;
        freedHead = 0;
        regions = more;
        generations = moreGenerations;
    }
}
