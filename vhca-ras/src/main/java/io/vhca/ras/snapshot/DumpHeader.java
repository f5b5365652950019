package io.vhca.ras.snapshot;

import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The first {@value #BYTES} bytes of a dump with native memory, a line of text:
 *
 * <pre>
 *   vhca-dump 1 TEXT RAW       the bytes of both, in decimal; blanks up to the end of line
 *   TEXT bytes                 a {@link Report}, filled up to a multiple of 64
 *   RAW bytes                  native memory, whose sections in the report say where it is of what
 * </pre>
 *
 * @param textBytes of the report
 * @param rawBytes  behind it
 */
public record DumpHeader(long textBytes, long rawBytes) {
    /** What it takes. */
    public static final int BYTES = 64;

    /** Raw bytes that a dump has at most: native memory, and payload where that was asked for. */
    public static final long MOST_RAW = 128L << 20;

    private static final Pattern FORM = Pattern.compile("vhca-dump 1 (\\d{1,12}) (\\d{1,12}) *\n");

    /** As it stands in a file. */
    public byte[] encode() {
        final String line = "vhca-dump 1 " + textBytes + " " + rawBytes;
        return String.format(Locale.ROOT, "%-" + (BYTES - 1) + "s\n", line).getBytes(StandardCharsets.US_ASCII);
    }

    /** What a file begins with, or null where that is no dump with native memory, or one of sizes that none has. */
    public static @Nullable DumpHeader decode(final byte[] first) {
        if (first.length < BYTES) {
            return null;
        }
        final Matcher form = FORM.matcher(new String(first, 0, BYTES, StandardCharsets.US_ASCII));
        if (!form.matches()) {
            return null;
        }
        final DumpHeader found = new DumpHeader(Long.parseLong(form.group(1)), Long.parseLong(form.group(2)));
        return found.isReadable() ? found : null;
    }

    /** Whether a reader takes a dump of these sizes. */
    public boolean isReadable() {
        return textBytes <= ReportFiles.MAX_BYTES && rawBytes <= MOST_RAW;
    }

    /** Where the native memory begins. */
    public long rawAt() {
        return BYTES + (textBytes + BYTES - 1) / BYTES * BYTES;
    }

    /** How long the file is. */
    public long fileBytes() {
        return rawAt() + rawBytes;
    }
}
