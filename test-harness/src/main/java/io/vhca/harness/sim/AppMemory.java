package io.vhca.harness.sim;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** Native memory of one application, allocated once a worker and handed out anew for every scenario. */
final class AppMemory {
    private static final long ALIGNMENT = 64;

    private final MemorySegment block;
    private long used;

    AppMemory(final Arena arena, final long capacityBytes) {
        block = arena.allocate(capacityBytes, 4096);
    }

    /** Takes everything back. */
    void reset() {
        used = 0;
    }

    /** The next piece; what it holds is undefined. */
    MemorySegment allocate(final long lengthBytes) {
        final long start = used;
        used = start + (lengthBytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
        return block.asSlice(start, lengthBytes);
    }
}
