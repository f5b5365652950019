package io.vhca.exs;

import io.vhca.api.AccessFlags;
import io.vhca.api.Errno;
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
    private static final int MOST_BLOCKS = 16;
    /** A slab of several blocks is no larger. */
    private static final long MOST_BYTES = 4 << 20;
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
            final long count = Math.clamp(MOST_BYTES / Math.max(1, size), 1, MOST_BLOCKS);
            final MemoryRegion region = slab(count * size);
            for (long block = 0; block < count; block++) {
                blocks.add(new Block(region.addr() + block * size, size, region.lkey()));
            }
        }
        return blocks.remove();
    }

    private MemoryRegion slab(final long bytes) {
        final Arena arena = Arena.ofShared();
        boolean isDone = false;
        try {
            final MemoryRegion region = pd.regMr(arena.allocate(bytes, ALIGNMENT), AccessFlags.LOCAL_WRITE);
            slabs.add(new Slab(arena, region));
            isDone = true;
            return region;
        } catch (final OutOfMemoryError e) {
            // One connection is too large; whoever drives all others goes on.
            throw new VerbsException(
                    "regMr", Errno.ENOMEM, "message slots",
                    "there is no memory for " + bytes + " bytes; give the socket fewer credits or smaller packets", e);
        } finally {
            if (!isDone) {
                arena.close();
            }
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
