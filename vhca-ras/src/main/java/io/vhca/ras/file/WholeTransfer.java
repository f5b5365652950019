package io.vhca.ras.file;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.WritableByteChannel;

/** Reads and writes all of a buffer: a channel may take or give only a part at a time. Pure. */
public final class WholeTransfer {
    private WholeTransfer() {}

    /** Writes all that remains. */
    public static void write(final WritableByteChannel to, final ByteBuffer bytes) throws IOException {
        while (bytes.hasRemaining()) {
            to.write(bytes);
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
