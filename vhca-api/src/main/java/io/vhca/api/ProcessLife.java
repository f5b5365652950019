package io.vhca.api;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Whether a process lives, and when it began, as the kernel counts it from the host's own start: that tells it from an
 * earlier one that had its number, whatever becomes of the clock. In containers all begin with the same numbers. For
 * providers. Any thread.
 */
public final class ProcessLife {
    /** Of a process whose start is not known. */
    public static final long UNKNOWN = 0;

    /** Where it stands in {@code /proc/PID/stat} behind the program's name, which may have blanks itself; proc(5). */
    private static final int START = 20;

    private ProcessLife() {}

    /** When the process that has that number now began; {@link #UNKNOWN} where there is none, or it is not shown. */
    public static long start(final long pid) {
        final String[] facts = facts(pid);
        return facts.length > START ? Long.parseLong(facts[START]) : UNKNOWN;
    }

    /** Whether a process has that number; it may be another one than who had it before. */
    public static boolean isAlive(final long pid) {
        return ProcessHandle.of(pid).map(ProcessHandle::isAlive).orElse(false);
    }

    /**
     * Whether the process of that number which began then lives.
     *
     * @param start {@link #UNKNOWN} for any process of that number
     */
    public static boolean isAlive(final long pid, final long start) {
        if (!isAlive(pid)) {
            return false;
        }
        final long now = start == UNKNOWN ? UNKNOWN : start(pid);
        return now == UNKNOWN || now == start;
    }

    /** What stands behind the program's name; nothing where there is no such process, or it is not shown. */
    private static String[] facts(final long pid) {
        try {
            final String stat =
                    Files.readString(Path.of("/proc", Long.toString(pid), "stat"), StandardCharsets.ISO_8859_1);
            return stat.substring(stat.lastIndexOf(')') + 1).split(" ");
        } catch (final IOException e) {
            return new String[0];
        }
    }
}
