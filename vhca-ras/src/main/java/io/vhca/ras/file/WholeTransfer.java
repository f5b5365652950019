package io.vhca.ras.file;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.WritableByteChannel;

/** Reads and writes all of a buffer: a channel may take or give only a part at a time. Pure. */
public final class WholeTransfer {
    private static final int ZEROS_BYTES = 64 << 10;

    private WholeTransfer() {}

    /** Writes all that remains. */
    public static void write(final WritableByteChannel to, final ByteBuffer bytes) throws IOException {
        while (bytes.hasRemaining()) {
            to.write(bytes);
        }
    }

    /**
     * Writes zeros, so that a file which is mapped then has all its blocks: where the file system had none left for a
     * page, whoever touches the page would get an {@link InternalError}.
     *
     * @throws IOException where there are not as many
     */
    public static void writeZeros(final WritableByteChannel to, final int lengthBytes) throws IOException {
        final ByteBuffer zeros = ByteBuffer.allocate(Math.min(lengthBytes, ZEROS_BYTES));
        for (int left = lengthBytes; left > 0; left -= zeros.limit()) {
            write(to, zeros.clear().limit(Math.min(left, ZEROS_BYTES)));
        }
    }

    /** Reads until the buffer is full; false where there is no more before that. */
    public static boolean read(final ReadableByteChannel from, final ByteBuffer into) throws IOException {
        while (into.hasRemaining()) {
            if (from.read(into) < 0) {
                return false;
            }
        }
        return true;
    }

    /** The same of a file, from a position on; its own position stays. */
    public static boolean read(final FileChannel from, final ByteBuffer into, final long position) throws IOException {
        final long begin = position - into.position();
        while (into.hasRemaining()) {
            if (from.read(into, begin + into.position()) < 0) {
                return false;
            }
        }
        return true;
    }
}
