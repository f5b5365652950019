package io.vhca.ras.status;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;

/** A mapped status file; layout in {@link StatusDescriptor}. The mapping ends with {@link #close}. */
final class StatusFile implements AutoCloseable {
    private final Arena arena;
    private final UnsafeBuffer buffer;

    /** @param buffer all of a file, which is there until the arena is closed */
    StatusFile(final Arena arena, final UnsafeBuffer buffer) {
        this.arena = arena;
        this.buffer = buffer;
    }

    /** Makes a status file of one that is empty; the channel is closed. */
    static StatusFile create(final FileChannel empty) throws IOException {
        try (empty) {
            return map(empty, FileChannel.MapMode.READ_WRITE);
        }
    }

    /** Maps a file for reading; IOException where it is none of this version. */
    static StatusFile open(final Path file) throws IOException {
        final StatusFile mapped;
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
            if (channel.size() < StatusDescriptor.FILE_BYTES) {
                throw new IOException(file + " is no status file of a bond: it is too short");
            }
            mapped = map(channel, FileChannel.MapMode.READ_ONLY);
        }
        final UnsafeBuffer buffer = mapped.buffer;
        if (buffer.getLongVolatile(StatusDescriptor.MAGIC_OFFSET) != StatusDescriptor.MAGIC
                || buffer.getInt(StatusDescriptor.VERSION_OFFSET) != StatusDescriptor.VERSION) {
            mapped.close();
            throw new IOException(file + " is no status file of a bond, or of another version than "
                    + StatusDescriptor.VERSION);
        }
        return mapped;
    }

    private static StatusFile map(final FileChannel channel, final FileChannel.MapMode mode) throws IOException {
        final Arena arena = Arena.ofShared();
        try {
            final MemorySegment segment = channel.map(mode, 0, StatusDescriptor.FILE_BYTES, arena);
            return new StatusFile(arena, new UnsafeBuffer(segment.address(), StatusDescriptor.FILE_BYTES));
        } catch (final IOException | RuntimeException e) {
            arena.close();
            throw e;
        }
    }

    // ---- publication ------------------------------------------------------------------------------------------------

    /** Whatever the part writes is seen by readers as a whole, or not at all. One thread writes. */
    void write(final Runnable part) {
        final int sequence = buffer.getInt(StatusDescriptor.SEQUENCE_OFFSET);
        assert (sequence & 1) == 0 : "one part is written within another";
        buffer.putInt(StatusDescriptor.SEQUENCE_OFFSET, sequence + 1);
        VarHandle.fullFence();
        part.run();
        buffer.putIntRelease(StatusDescriptor.SEQUENCE_OFFSET, sequence + 2);
    }

    /** A copy, short of the file by the rows that are not in use; null when it was written to meanwhile. */
    @Nullable UnsafeBuffer copy() {
        final int before = buffer.getIntVolatile(StatusDescriptor.SEQUENCE_OFFSET);
        if ((before & 1) != 0) {
            return null;
        }
        final int rows =
                Math.clamp(buffer.getInt(StatusDescriptor.QP_ROWS_OFFSET), 0, StatusDescriptor.MAX_QP_ROWS);
        final byte[] bytes = new byte[StatusDescriptor.queuePair(rows)];
        buffer.getBytes(0, bytes);
        VarHandle.loadLoadFence();
        return buffer.getIntVolatile(StatusDescriptor.SEQUENCE_OFFSET) == before ? new UnsafeBuffer(bytes) : null;
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

    static String text(final UnsafeBuffer buffer, final int offset) {
        final byte[] bytes = new byte[buffer.getByte(offset) & 0xff];
        buffer.getBytes(offset + 1, bytes);
        return new String(bytes, StandardCharsets.US_ASCII);
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

    static List<String> lines(final UnsafeBuffer buffer, final int offset, final int placeBytes) {
        final byte[] bytes = new byte[Math.clamp(buffer.getInt(offset), 0, placeBytes - Integer.BYTES)];
        buffer.getBytes(offset + Integer.BYTES, bytes);
        return new String(bytes, StandardCharsets.UTF_8).lines().toList();
    }

    @Override
    public void close() {
        if (arena.scope().isAlive()) {
            arena.close();
        }
    }
}
