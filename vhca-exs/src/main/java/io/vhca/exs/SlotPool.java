package io.vhca.exs;

import io.vhca.api.AccessFlags;
import io.vhca.api.MemoryRegion;
import io.vhca.api.ProtectionDomain;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
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

    private final ProtectionDomain pd;
    private final Arena arena = Arena.ofShared();
    private final List<MemoryRegion> regions = new ArrayList<>();
    private final Map<Long, ArrayDeque<Block>> free = new HashMap<>();

    SlotPool(final ProtectionDomain pd) {
        this.pd = pd;
    }

    Block take(final long bytes) {
        final long size = (bytes + ALIGNMENT - 1) & -ALIGNMENT;
        final ArrayDeque<Block> blocks = free.computeIfAbsent(size, unused -> new ArrayDeque<>());
        if (blocks.isEmpty()) {
            final MemorySegment slab = arena.allocate(BLOCKS * size, ALIGNMENT);
            final MemoryRegion region = pd.regMr(slab, AccessFlags.LOCAL_WRITE);
            regions.add(region);
            for (int block = 0; block < BLOCKS; block++) {
                blocks.add(new Block(slab.address() + block * size, size, region.lkey()));
            }
        }
        return blocks.remove();
    }

    void give(final Block block) {
        free.computeIfAbsent(block.bytes, unused -> new ArrayDeque<>()).add(block);
    }

    @Override
    public void close() {
        regions.forEach(MemoryRegion::close);
        arena.close();
    }
}
