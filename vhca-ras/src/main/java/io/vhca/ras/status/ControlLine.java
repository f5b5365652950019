package io.vhca.ras.status;

import io.vhca.ras.file.WholeTransfer;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.WritableByteChannel;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** A line of UTF-8 over a control socket: a command, or its answer. Never more is read than may be. */
final class ControlLine {
    /** The longest command: many options at once. */
    static final int MAX_COMMAND_BYTES = 4096;

    /** The longest answer: what is wrong with each of them. */
    static final int MAX_ANSWER_BYTES = 64 * 1024;

    private static final int READ_BYTES = 512;

    private ControlLine() {}

    /** More came than a line may have. */
    static final class TooLongException extends IOException {
        private static final long serialVersionUID = 1L;

        TooLongException(final int maxBytes) {
            super("a line may have " + maxBytes + " bytes");
        }
    }

    /**
     * What stands before the first end of line; null where the other end closed without one.
     *
     * @throws TooLongException where that many bytes are no line
     */
    static @Nullable String read(final ReadableByteChannel from, final int maxBytes) throws IOException {
        final ByteArrayOutputStream line = new ByteArrayOutputStream();
        final ByteBuffer bytes = ByteBuffer.allocate(READ_BYTES);
        while (from.read(bytes.clear()) >= 0) {
            bytes.flip();
            while (bytes.hasRemaining()) {
                final byte next = bytes.get();
                if (next == '\n') {
                    return line.toString(StandardCharsets.UTF_8);
                }
                if (line.size() == maxBytes) {
                    throw new TooLongException(maxBytes);
                }
                line.write(next);
            }
        }
        return null;
    }

    /** Writes a text as one line, whatever is in it. */
    static void write(final WritableByteChannel to, final String text) throws IOException {
        WholeTransfer.write(
                to, StandardCharsets.UTF_8.encode(text.replace('\n', ' ').replace('\r', ' ') + '\n'));
    }
}
