package io.vhca.exs;

import io.vhca.api.AccessFlags;
import io.vhca.api.MemoryRegion;
import io.vhca.api.ProtectionDomain;
import io.vhca.api.VerbsException;
import java.lang.foreign.Arena;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Memory for the messages of connections: blocks out of slabs that are registered once, used again when a connection is
 * over. The driver's lock; closed after the last connection.
 */
final class SlotPool implements AutoCloseable {
    private static final int BLOCKS = 16;
    private static final int ALIGNMENT = 64;

    /** The message slots of one connection. */
    record Block(long address, long bytes, int lkey) {}

    /** The memory of some blocks. */
    private record Slab(Arena arena, MemoryRegion region) {}

    private final ProtectionDomain pd;
    private final List<Slab> slabs = new ArrayList<>();
    private final Map<Long, ArrayDeque<Block>> free = new HashMap<>();

    SlotPool(final ProtectionDomain pd) {
        this.pd = pd;
    }

    Block take(final long bytes) {
        final long size = (bytes + ALIGNMENT - 1) & -ALIGNMENT;
        final ArrayDeque<Block> blocks = free.computeIfAbsent(size, unused -> new ArrayDeque<>());
        if (blocks.isEmpty()) {
            final MemoryRegion region = slab(BLOCKS * size);
            for (int block = 0; block < BLOCKS; block++) {
                blocks.add(new Block(region.addr() + block * size, size, region.lkey()));
            }
        }
        return blocks.remove();
    }

    private MemoryRegion slab(final long bytes) {
        final Arena arena = Arena.ofShared();
        try {
            final MemoryRegion region = pd.regMr(arena.allocate(bytes, ALIGNMENT), AccessFlags.LOCAL_WRITE);
            slabs.add(new Slab(arena, region));
            return region;
        } catch (final VerbsException e) {
            arena.close();
            throw e;
        }
    }

    void give(final Block block) {
        free.computeIfAbsent(block.bytes, unused -> new ArrayDeque<>()).add(block);
    }

    @Override
    public void close() {
        for (final Slab slab : slabs) {
            slab.region.close();
            slab.arena.close();
        }
    }
}
