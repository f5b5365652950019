package io.vhca.ras.dump;

import io.vhca.bond.memory.BufferSink;
import java.io.Closeable;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;

/**
 * Copies buffers that the application gave away, {@value #MOST_OF_ONE} bytes of each and a bounded number in all. What
 * is no memory any more is not read through its address, which would end the process, but through the file that the
 * kernel has of it, which refuses. One thread.
 */
final class PayloadReader implements Closeable {
    static final int MOST_OF_ONE = 64 << 10;
    static final long MOST = 16L << 20;

    private static final Path MEMORY = Path.of("/proc/self/mem");
    private static final int ALIGNMENT = 64;

    private final MemorySegment to;
    private final FileChannel memory;
    private final List<Found> found = new ArrayList<>();
    private long used;
    private int leftOut;

    /**
     * A buffer.
     *
     * @param object whose it is
     * @param at     of its copy, relative to that of the first
     * @param bytes  that it has
     * @param copied that could be copied; -1 where there is no memory
     */
    record Found(String object, String queue, long sequence, long address, long at, long bytes, int copied) {}

    /** @param arena for the copies, whose pages are there before anybody is stopped for them */
    PayloadReader(final Arena arena) throws IOException {
        to = arena.allocate(MOST, ALIGNMENT);
        memory = FileChannel.open(MEMORY, StandardOpenOption.READ);
    }

    /** Takes the buffers of an object. */
    BufferSink of(final Object object) {
        return (queue, sequence, address, bytes) -> take(object.toString(), queue, sequence, address, bytes);
    }

    private void take(
            final String object, final String queue, final long sequence, final long address, final long bytes) {
        final int wanted = (int) Math.min(bytes, MOST_OF_ONE);
        if (used + wanted > MOST || address < 0) {
            leftOut++;
            return;
        }
        int copied;
        try {
            copied = wanted == 0 ? 0 : memory.read(to.asSlice(used, wanted).asByteBuffer(), address);
        } catch (final IOException e) {
            copied = -1;
        }
        found.add(new Found(object, queue, sequence, address, used, bytes, copied));
        used += (Math.max(0, copied) + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    }

    List<Found> found() {
        return found;
    }

    /** Buffers for which there was no room. */
    int leftOut() {
        return leftOut;
    }

    /** All copies, one behind the other. */
    MemorySegment copies() {
        return to.asSlice(0, used);
    }

    @Override
    public void close() throws IOException {
        memory.close();
    }
}
