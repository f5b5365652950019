package io.vhca.ras.status;

import io.vhca.ras.file.WholeTransfer;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * A status file that is written; layout in {@link StatusDescriptor}. It is mapped until {@link #close}. Readers copy it
 * ({@link StatusSnapshot}).
 */
final class StatusFile implements AutoCloseable {
    private final Arena arena;
    private final UnsafeBuffer buffer;

    /** @param buffer all of a file, which is there until the arena is closed */
    StatusFile(final Arena arena, final UnsafeBuffer buffer) {
        this.arena = arena;
        this.buffer = buffer;
    }

    /**
     * Makes a status file of one that is empty; the channel is closed.
     *
     * @throws IOException where the file system has no room for all of it
     */
    static StatusFile create(final FileChannel empty) throws IOException {
        try (empty) {
            WholeTransfer.writeZeros(empty, StatusDescriptor.FILE_BYTES);
            return map(empty);
        }
    }

    private static StatusFile map(final FileChannel channel) throws IOException {
        final Arena arena = Arena.ofShared();
        try {
            final MemorySegment segment =
                    channel.map(FileChannel.MapMode.READ_WRITE, 0, StatusDescriptor.FILE_BYTES, arena);
            return new StatusFile(arena, new UnsafeBuffer(segment.address(), StatusDescriptor.FILE_BYTES));
        } catch (final Throwable e) {
            arena.close();
            throw e;
        }
    }

    // ---- publication ------------------------------------------------------------------------------------------------

    /**
     * Whatever the part writes is seen by readers as a whole, or not at all; of one that throws, as far as it came. One
     * thread writes.
     */
    void write(final Runnable part) {
        final int sequence = buffer.getInt(StatusDescriptor.SEQUENCE_OFFSET);
        assert (sequence & 1) == 0 : "one part is written within another";
        buffer.putInt(StatusDescriptor.SEQUENCE_OFFSET, sequence + 1);
        VarHandle.fullFence();
        try {
            part.run();
        } finally {
            buffer.putIntRelease(StatusDescriptor.SEQUENCE_OFFSET, sequence + 2);
        }
    }

    // ---- access -----------------------------------------------------------------------------------------------------

    UnsafeBuffer buffer() {
        return buffer;
    }

    UnsafeBuffer part(final int offset, final int lengthBytes) {
        return new UnsafeBuffer(buffer, offset, lengthBytes);
    }

    /** Writes a text, cut to what its place holds. */
    static void putText(final UnsafeBuffer buffer, final int offset, final int placeBytes, final String text) {
        final int length = Math.min(text.length(), placeBytes - 1);
        buffer.putByte(offset, (byte) length);
        for (int i = 0; i < length; i++) {
            final char c = text.charAt(i);
            buffer.putByte(offset + 1 + i, (byte) (c < 0x80 ? c : '?'));
        }
    }

    /** Lines of UTF-8 behind four bytes of length; as many as there is place for. */
    static void putLines(final UnsafeBuffer buffer, final int offset, final int placeBytes, final List<String> lines) {
        int length = 0;
        for (final String line : lines) {
            final byte[] bytes = (line + '\n').getBytes(StandardCharsets.UTF_8);
            if (Integer.BYTES + length + bytes.length > placeBytes) {
                break;
            }
            buffer.putBytes(offset + Integer.BYTES + length, bytes);
            length += bytes.length;
        }
        buffer.putInt(offset, length);
    }

    @Override
    public void close() {
        if (arena.scope().isAlive()) {
            arena.close();
        }
    }
}
