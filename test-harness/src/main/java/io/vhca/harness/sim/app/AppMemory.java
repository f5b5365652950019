package io.vhca.harness.sim.app;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** Native memory of one application, allocated once a worker and handed out anew for every scenario. */
public final class AppMemory {
    private static final long CAPACITY_BYTES = 16L << 20;
    private static final long PAGE_BYTES = 4096;
    private static final long ALIGNMENT = 64;

    private final MemorySegment block;
    private final WrBlock wrs;
    private long used;

    /** @param arena what it lives in */
    public AppMemory(final Arena arena) {
        block = arena.allocate(CAPACITY_BYTES, PAGE_BYTES);
        wrs = new WrBlock(arena);
    }

    /** Takes everything back. */
    public void reset() {
        used = 0;
    }

    /** Work requests and completions, reused for every call. */
    WrBlock wrs() {
        return wrs;
    }

    /** The next piece; what it holds is undefined. */
    MemorySegment allocate(final long lengthBytes) {
        final long start = used;
        used = start + (lengthBytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
        return block.asSlice(start, lengthBytes);
    }
}
