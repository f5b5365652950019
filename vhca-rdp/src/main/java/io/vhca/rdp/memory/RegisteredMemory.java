package io.vhca.rdp.memory;

import org.jspecify.annotations.Nullable;

/** Where buffers come from. */
public interface RegisteredMemory {
    /** A piece of native memory that the device may read and write. */
    record Chunk(long address, int lkey) {}

    /** So many bytes more, 64-byte aligned; null where a limit is reached. */
    @Nullable Chunk allocate(long lengthBytes);
}
