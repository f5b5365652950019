package io.vhca.ras.dump;

import io.vhca.ras.file.WholeTransfer;
import io.vhca.ras.snapshot.DumpHeader;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ReadableByteChannel;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * How a dump goes to another machine, over TCP: who sends begins.
 *
 * <pre>
 *   -> 128 bytes   vhca-dump-send 1 NAME BYTES, blanks up to the end of line
 *   -> BYTES       the file
 *   &lt;- 256 bytes   ok NAME, or error: WHY; blanks up to the end of line
 * </pre>
 *
 * @param name  of the file, one word
 * @param bytes of it
 */
record TransferDescriptor(String name, long bytes) {
    static final int HEAD = 128;
    static final int ANSWER = 256;
    static final String ERROR = "error: ";

    /** A report and its native memory at most. */
    static final long MOST_BYTES = DumpHeader.MOST_RAW + (64L << 20) + 2 * DumpHeader.BYTES;

    private static final Pattern FORM =
            Pattern.compile("vhca-dump-send 1 ([A-Za-z0-9][A-Za-z0-9_.-]{0,79}) (\\d{1,12})");

    byte[] head() {
        return line("vhca-dump-send 1 " + name + " " + bytes, HEAD);
    }

    /** What a head says, or null where it is none. */
    static @Nullable TransferDescriptor parse(final String head) {
        final Matcher form = FORM.matcher(head);
        return form.matches() ? new TransferDescriptor(form.group(1), Long.parseLong(form.group(2))) : null;
    }

    /** A text as a line of so many bytes; the end of one that is too long is cut. */
    static byte[] line(final String text, final int bytes) {
        final String plain = text.replaceAll("[^ -~]", "?");
        final String cut = plain.substring(0, Math.min(plain.length(), bytes - 1));
        return String.format(Locale.ROOT, "%-" + (bytes - 1) + "s\n", cut).getBytes(StandardCharsets.US_ASCII);
    }

    /** Reads a line of so many bytes. */
    static String readLine(final ReadableByteChannel from, final int bytes) throws IOException {
        final ByteBuffer line = ByteBuffer.allocate(bytes);
        if (!WholeTransfer.read(from, line)) {
            throw new EOFException("the other end closed the connection");
        }
        return new String(line.array(), StandardCharsets.US_ASCII).replaceAll("[^ -~]", " ").strip();
    }
}
