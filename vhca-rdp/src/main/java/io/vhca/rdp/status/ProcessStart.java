package io.vhca.rdp.status;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * When a process began, as the kernel counts it from the host's own start: it tells a process from an earlier one that
 * had its number, whatever becomes of the clock. A line of a driver's status.
 */
final class ProcessStart {
    private static final String WORD = "started ";
    private static final Pattern LINE = Pattern.compile("(?m)^" + WORD + "(\\d{1,18})$");
    /** Where it stands in {@code /proc/PID/stat} behind the program's name, which may have blanks itself. */
    private static final int FIELD = 20;

    private static final long SELF = ProcessHandle.current().pid();
    /** That of this process, which a driver says each second. */
    private static final String OWN = of(SELF);

    private ProcessStart() {}

    /** The line of that process; empty where that is not known. */
    static String line(final long pid) {
        final String now = pid == SELF ? OWN : of(pid);
        return now.isEmpty() ? "" : WORD + now + "\n";
    }

    /** Whether a status was written by another process than the one that has that number now. */
    static boolean isOfAnother(final String status, final long pid) {
        final Matcher line = LINE.matcher(status);
        if (!line.find()) {
            return false; // earlier versions do not say it
        }
        final String now = of(pid);
        return !now.isEmpty() && !now.equals(line.group(1));
    }

    private static String of(final long pid) {
        try {
            final String stat =
                    Files.readString(Path.of("/proc", Long.toString(pid), "stat"), StandardCharsets.ISO_8859_1);
            final String[] fields = stat.substring(stat.lastIndexOf(')') + 1).split(" ");
            return fields.length > FIELD ? fields[FIELD] : "";
        } catch (final IOException e) {
            return ""; // it has ended, or is not shown
        }
    }
}
