package io.vhca.ras.status;

import io.vhca.api.ProcessLife;
import io.vhca.ras.file.ShownText;
import java.io.IOException;
import java.lang.invoke.VarHandle;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;

/**
 * A copy of a status file that nobody writes to, and that may be anybody's work: every count and length is held
 * against the place that it speaks of before it is used.
 */
final class StatusSnapshot {
    private final UnsafeBuffer bytes;

    private StatusSnapshot(final UnsafeBuffer bytes) {
        this.bytes = bytes;
    }

    /** What is copied: a file, or memory that another thread writes to. */
    @FunctionalInterface
    interface Source {
        /** Fills the beginning of a part from an offset on. */
        void read(int offset, byte[] into, int lengthBytes) throws IOException;
    }

    /** What a file says that no bond has written. The message is half a sentence, for behind the file's name. */
    static final class DamagedException extends IOException {
        private static final long serialVersionUID = 1L;

        DamagedException(final String message) {
            super(message);
        }
    }

    /**
     * A copy, short of the file by the rows of queue pairs that are not in use; null when it was written to meanwhile.
     *
     * @throws DamagedException where it is no status file of this version
     */
    static @Nullable StatusSnapshot copy(final Source source) throws IOException {
        final int before = sequence(source);
        return (before & 1) != 0 ? null : at(source, before);
    }

    /** Odd while a part is written; another one after each. */
    static int sequence(final Source source) throws IOException {
        return header(source).getInt(StatusDescriptor.SEQUENCE_OFFSET);
    }

    /**
     * A copy made while the sequence was that one, as {@link #copy} otherwise. Of an odd one a part is newer than the
     * others; where it has been that for long nobody has written meanwhile.
     */
    static @Nullable StatusSnapshot at(final Source source, final int sequence) throws IOException {
        final StatusSnapshot header = header(source);
        if (header.getInt(StatusDescriptor.SEQUENCE_OFFSET) != sequence) {
            return null;
        }
        VarHandle.loadLoadFence();
        final StatusSnapshot all = all(source, header);
        VarHandle.loadLoadFence();
        final byte[] after = new byte[Integer.BYTES];
        source.read(StatusDescriptor.SEQUENCE_OFFSET, after, after.length);
        return new UnsafeBuffer(after).getInt(0) == sequence ? all : null;
    }

    /**
     * A copy of what a process left that died while it wrote: one part of it is newer than the others. Null while that
     * process lives.
     *
     * @throws DamagedException where it is no status file of this version
     */
    static @Nullable StatusSnapshot left(final Source source) throws IOException {
        final StatusSnapshot header = header(source);
        final boolean isAlive = ProcessLife.isAlive(
                header.getLong(StatusDescriptor.PID_OFFSET), header.getLong(StatusDescriptor.PROCESS_START_OFFSET));
        return isAlive ? null : all(source, header);
    }

    /** @throws DamagedException where it is no status file of this version */
    static StatusSnapshot header(final Source source) throws IOException {
        final byte[] head = new byte[StatusDescriptor.HEADER_BYTES];
        source.read(0, head, head.length);
        final StatusSnapshot header = new StatusSnapshot(new UnsafeBuffer(head));
        if (header.getLong(StatusDescriptor.MAGIC_OFFSET) != StatusDescriptor.MAGIC
                || header.getInt(StatusDescriptor.VERSION_OFFSET) != StatusDescriptor.VERSION) {
            throw new DamagedException(
                    "is no status file of a bond, or of another version than " + StatusDescriptor.VERSION);
        }
        return header;
    }

    private static StatusSnapshot all(final Source source, final StatusSnapshot header) throws IOException {
        final int rows =
                header.count("queue pair rows", StatusDescriptor.QP_ROWS_OFFSET, StatusDescriptor.MAX_QP_ROWS);
        final byte[] all = new byte[StatusDescriptor.queuePair(rows)];
        source.read(0, all, all.length);
        return new StatusSnapshot(new UnsafeBuffer(all));
    }

    int getInt(final int offset) {
        return bytes.getInt(offset);
    }

    long getLong(final int offset) {
        return bytes.getLong(offset);
    }

    /** A number of things of which there are so many at most. */
    int count(final String what, final int offset, final int most) throws DamagedException {
        final int count = bytes.getInt(offset);
        if (count < 0 || count > most) {
            throw new DamagedException("is damaged: " + count + " " + what + ", of " + most + " at most");
        }
        return count;
    }

    /** A number that only grows. */
    long total(final String what, final int offset) throws DamagedException {
        final long total = bytes.getLong(offset);
        if (total < 0) {
            throw new DamagedException("is damaged: " + total + " " + what);
        }
        return total;
    }

    /** A text of one byte of length and ASCII, in a place of that many bytes. */
    String text(final int offset, final int placeBytes) throws DamagedException {
        final int length = bytes.getByte(offset) & 0xff;
        if (length >= placeBytes) {
            throw new DamagedException("is damaged: a text of " + length + " bytes where " + placeBytes + " are");
        }
        return ascii(offset + 1, length);
    }

    /** ASCII; the caller knows that there is so much. */
    String ascii(final int offset, final int length) {
        final byte[] text = new byte[length];
        bytes.getBytes(offset, text);
        return ShownText.line(new String(text, StandardCharsets.US_ASCII));
    }

    /** UTF-8; the caller knows that there is so much. */
    String utf8(final int offset, final int length) {
        final byte[] text = new byte[length];
        bytes.getBytes(offset, text);
        return ShownText.lines(new String(text, StandardCharsets.UTF_8));
    }

    /** Lines of UTF-8 behind four bytes of length. */
    List<String> lines(final int offset, final int placeBytes) throws DamagedException {
        final int length = count("bytes of options", offset, placeBytes - Integer.BYTES);
        return utf8(offset + Integer.BYTES, length).lines().toList();
    }
}
