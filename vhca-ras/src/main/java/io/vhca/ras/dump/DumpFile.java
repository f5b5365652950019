package io.vhca.ras.dump;

import io.vhca.ras.file.WholeTransfer;
import io.vhca.ras.snapshot.DumpHeader;
import io.vhca.ras.snapshot.Report;
import io.vhca.ras.snapshot.ReportFiles;
import java.io.Closeable;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.WritableByteChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A report with the native memory that it speaks of ({@link DumpHeader}), or without, as older versions wrote them. One
 * thread.
 */
public final class DumpFile implements Closeable {
    private static final int CHUNK = 1 << 20;

    private final Path path;
    private final FileChannel channel;
    private final @Nullable DumpHeader header;
    private final Report report;

    private DumpFile(
            final Path path, final FileChannel channel, final @Nullable DumpHeader header, final Report report) {
        this.path = path;
        this.channel = channel;
        this.header = header;
        this.report = report;
    }

    /**
     * Opens one, of whoever wrote it.
     *
     * @throws IOException where there is none, or it is none
     */
    public static DumpFile open(final Path path) throws IOException {
        final FileChannel channel = ReportFiles.open(path);
        try {
            final DumpHeader header = ReportFiles.header(channel);
            if (header != null && channel.size() < header.fileBytes()) {
                throw new IOException(path + " is cut short: " + channel.size() + " of " + header.fileBytes()
                        + " bytes are there; copy it again");
            }
            return new DumpFile(path, channel, header, ReportFiles.read(path, channel, header));
        } catch (final Throwable e) {
            channel.close();
            throw e;
        }
    }

    public Report report() {
        return report;
    }

    /** The file that was opened, whatever has its name now. */
    FileChannel channel() {
        return channel;
    }

    /** Copies all of it, as it was opened. */
    public void copyTo(final FileChannel to) throws IOException {
        for (long at = 0; at < channel.size(); ) {
            at += channel.transferTo(at, channel.size() - at, to);
        }
    }

    /**
     * A part of its native memory.
     *
     * @param at relative to where that begins
     * @throws IOException where the file does not have all of it
     */
    public byte[] raw(final long at, final int bytes) throws IOException {
        final DumpHeader known = header;
        if (known == null || at < 0 || bytes < 0 || at > known.rawBytes() - bytes) {
            throw new IOException(path + " is damaged: it has no " + bytes + " bytes of native memory at " + at);
        }
        final ByteBuffer to = ByteBuffer.allocate(bytes);
        if (!WholeTransfer.read(channel, to, known.rawAt() + at)) {
            throw new IOException(path + " is cut short: " + to.remaining() + " bytes are missing at its end");
        }
        return to.array();
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }

    /**
     * Writes one.
     *
     * @param memory in the order of the offsets that the report names
     * @throws IOException where it cannot be written to its end, or nobody could read it
     */
    static void write(final WritableByteChannel to, final Report report, final List<MemorySegment> memory)
            throws IOException {
        final byte[] text = report.text().getBytes(StandardCharsets.UTF_8);
        final DumpHeader header = new DumpHeader(
                text.length, memory.stream().mapToLong(MemorySegment::byteSize).sum());
        if (!header.isReadable()) {
            throw new IOException("a dump of " + header.textBytes() + " bytes of text and " + header.rawBytes()
                    + " of native memory is larger than any that is read");
        }
        WholeTransfer.write(to, ByteBuffer.wrap(header.encode()));
        WholeTransfer.write(to, ByteBuffer.wrap(text));
        WholeTransfer.write(to, ByteBuffer.allocate((int) (header.rawAt() - DumpHeader.BYTES - text.length)));
        for (final MemorySegment segment : memory) {
            for (long at = 0; at < segment.byteSize(); at += CHUNK) {
                WholeTransfer.write(
                        to, segment.asSlice(at, Math.min(CHUNK, segment.byteSize() - at)).asByteBuffer());
            }
        }
    }
}
