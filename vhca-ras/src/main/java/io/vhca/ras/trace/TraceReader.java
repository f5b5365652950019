package io.vhca.ras.trace;

import static io.vhca.ras.trace.TraceFileDescriptor.FILE_BYTES;
import static io.vhca.ras.trace.TraceFileDescriptor.RECORDS;
import static io.vhca.ras.trace.TraceFileDescriptor.RECORD_BYTES;
import static io.vhca.ras.trace.TraceFileDescriptor.RING_HEADER_BYTES;
import static io.vhca.ras.trace.TraceFileDescriptor.WORDS_OFFSET;

import io.vhca.api.ProcessLife;
import io.vhca.ras.file.ShownText;
import io.vhca.ras.file.WholeTransfer;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Reads a trace file, of a process that runs, of one that is dead, or of whoever put it there: it is copied and never
 * mapped, and nothing in it is taken for granted. Any thread.
 *
 * <p>It is copied twice. A record that is the same in both copies was not being written; one that is not is left out,
 * as it is newer than the first copy or older than everything that is shown.
 */
public final class TraceReader {
    private static final Comparator<TraceRecord> BY_TIME = Comparator.comparingLong(TraceRecord::timeNs)
            .thenComparingInt(TraceRecord::ring)
            .thenComparingLong(TraceRecord::sequence);

    private final FileChannel channel;
    private final Path path;
    private final ByteBuffer first = buffer(TraceFileDescriptor.RING_BYTES);
    private final ByteBuffer second = buffer(TraceFileDescriptor.RING_BYTES);
    private final List<TraceRecord> records = new ArrayList<>();
    private final Map<Integer, String> threads = new HashMap<>();
    private long lost;

    private TraceReader(final FileChannel channel, final Path path) {
        this.channel = channel;
        this.path = path;
    }

    /**
     * Reads all of it.
     *
     * @throws IOException where there is none, or it is no trace file
     */
    public static TraceContent read(final Path path) throws IOException {
        try (FileChannel channel = open(path)) {
            return read(channel, path);
        }
    }

    /**
     * Reads all of what {@link #open} opened, which may be deleted meanwhile, and as often as one likes.
     *
     * @param path for messages
     * @throws IOException where it is no trace file
     */
    public static TraceContent read(final FileChannel channel, final Path path) throws IOException {
        return new TraceReader(channel, path).decode();
    }

    /**
     * When a process made a record last.
     *
     * @param boot     {@link Boot#id} of its host then
     * @param epochMs  milliseconds since 1970, by a clock that was asked when the file was made
     * @param nanoTime of {@code System.nanoTime}
     */
    record Last(long boot, long epochMs, long nanoTime) {}

    /** @throws IOException where there is none, or it is no trace file */
    static Last last(final Path path) throws IOException {
        try (FileChannel channel = open(path)) {
            final ByteBuffer header = header(channel, path);
            final long startNs = header.getLong(TraceFileDescriptor.NANO_TIME_OFFSET);
            long sinceNs = 0;
            final ByteBuffer head = buffer(RING_HEADER_BYTES);
            for (int ring = 0; ring < TraceFileDescriptor.RINGS; ring++) {
                fill(channel, path, head.clear(), TraceFileDescriptor.ring(ring));
                if (head.getLong(TraceFileDescriptor.TAIL_OFFSET) != 0) {
                    sinceNs = Math.max(sinceNs, head.getLong(TraceFileDescriptor.CLOCK_OFFSET) - startNs);
                }
            }
            return new Last(
                    header.getLong(TraceFileDescriptor.BOOT_OFFSET),
                    header.getLong(TraceFileDescriptor.EPOCH_MS_OFFSET) + TimeUnit.NANOSECONDS.toMillis(sinceNs),
                    startNs + sinceNs);
        }
    }

    /** When its process began; {@link ProcessLife#UNKNOWN} where it does not say, or is no trace file. */
    static long processStart(final Path path) {
        try (FileChannel channel = open(path)) {
            return header(channel, path).getLong(TraceFileDescriptor.PROCESS_START_OFFSET);
        } catch (final IOException e) {
            return ProcessLife.UNKNOWN;
        }
    }

    /** All bytes of it as they are. */
    public static ByteBuffer bytes(final Path path) throws IOException {
        try (FileChannel channel = open(path)) {
            final ByteBuffer bytes = buffer(FILE_BYTES);
            fill(channel, path, bytes, 0);
            return bytes.flip();
        }
    }

    /**
     * Opens it; the caller closes it.
     *
     * @throws IOException where there is none, or it is no file
     */
    public static FileChannel open(final Path path) throws IOException {
        if (Files.exists(path, LinkOption.NOFOLLOW_LINKS) && !Files.isRegularFile(path, LinkOption.NOFOLLOW_LINKS)) {
            throw new IOException(path + " is no trace of a bond: it is no file");
        }
        return FileChannel.open(path, StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS);
    }

    private static ByteBuffer buffer(final int lengthBytes) {
        return ByteBuffer.allocate(lengthBytes).order(ByteOrder.nativeOrder());
    }

    private static void fill(final FileChannel channel, final Path path, final ByteBuffer into, final int offset)
            throws IOException {
        if (!WholeTransfer.read(channel, into, offset)) {
            throw new EOFException(path + " was cut short while it was read");
        }
    }

    private static ByteBuffer header(final FileChannel channel, final Path path) throws IOException {
        if (channel.size() < FILE_BYTES) {
            throw new IOException(path + " is no trace of a bond: it is too short");
        }
        final ByteBuffer header = buffer(TraceFileDescriptor.HEADER_BYTES);
        fill(channel, path, header, 0);
        if (header.getLong(TraceFileDescriptor.MAGIC_OFFSET) != TraceFileDescriptor.MAGIC) {
            throw new IOException(path + " is no trace of a bond: it begins with something else");
        }
        final int version = header.getInt(TraceFileDescriptor.VERSION_OFFSET);
        if (version != TraceFileDescriptor.VERSION) {
            throw new IOException(path + " is a trace of version " + version + ", this tool reads version "
                    + TraceFileDescriptor.VERSION + "; use the tool of the application's version");
        }
        return header;
    }

    private TraceContent decode() throws IOException {
        final ByteBuffer header = header(channel, path);
        for (int ring = 0; ring < TraceFileDescriptor.RINGS; ring++) {
            readRing(ring);
        }
        records.sort(BY_TIME);
        return new TraceContent(
                text(header, TraceFileDescriptor.NAME_OFFSET, TraceFileDescriptor.NAME_BYTES),
                header.getLong(TraceFileDescriptor.PID_OFFSET),
                header.getLong(TraceFileDescriptor.EPOCH_MS_OFFSET),
                header.getLong(TraceFileDescriptor.NANO_TIME_OFFSET),
                Map.copyOf(threads),
                List.copyOf(records),
                lost);
    }

    private void readRing(final int ring) throws IOException {
        final int at = TraceFileDescriptor.ring(ring);
        fill(channel, path, first.clear().limit(RING_HEADER_BYTES), at);
        if (first.getLong(TraceFileDescriptor.TAIL_OFFSET) == 0) {
            return;
        }
        fill(channel, path, first.clear(), at);
        fill(channel, path, second.clear(), at);
        final long tail = second.getLong(TraceFileDescriptor.TAIL_OFFSET);
        lost += Math.max(0, tail - RECORDS);
        threads.put(
                (int) second.getLong(TraceFileDescriptor.THREAD_OFFSET),
                text(second, TraceFileDescriptor.THREAD_NAME_OFFSET, TraceFileDescriptor.THREAD_NAME_BYTES));
        for (int index = 0; index < RECORDS; index++) {
            final int record = RING_HEADER_BYTES + index * RECORD_BYTES;
            final long sequence = first.getLong(record + TraceFileDescriptor.SEQUENCE_OFFSET);
            if (sequence > 0
                    && sequence <= tail
                    && (sequence - 1 & RECORDS - 1) == index
                    && first.slice(record, RECORD_BYTES).equals(second.slice(record, RECORD_BYTES))) {
                records.add(record(ring, sequence, record));
            }
        }
    }

    private TraceRecord record(final int ring, final long sequence, final int at) {
        final long time = first.getLong(at + TraceFileDescriptor.TIME_OFFSET);
        return new TraceRecord(
                ring,
                sequence,
                Math.abs(time),
                time >= 0,
                first.getInt(at + TraceFileDescriptor.RECORD_THREAD_OFFSET),
                first.getInt(at + TraceFileDescriptor.EVENT_OFFSET),
                first.getLong(at + TraceFileDescriptor.OBJECT_OFFSET),
                first.getLong(at + WORDS_OFFSET),
                first.getLong(at + WORDS_OFFSET + Long.BYTES),
                first.getLong(at + WORDS_OFFSET + 2 * Long.BYTES),
                first.getLong(at + WORDS_OFFSET + 3 * Long.BYTES));
    }

    private static String text(final ByteBuffer from, final int offset, final int placeBytes) {
        final int length = Math.min(Byte.toUnsignedInt(from.get(offset)), placeBytes - 1);
        return ShownText.line(new String(from.array(), offset + 1, length, StandardCharsets.US_ASCII));
    }
}
