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

    /** Of what stands in {@code /proc/PID/stat} behind the program's name, which may have blanks itself; proc(5). */
    private static final int STATE = 1;

    private static final int THREADS = 18;
    private static final int START = 20;
    private static final String DEAD = "ZXx";

    private ProcessLife() {}

    /** When the process that has that number now began; {@link #UNKNOWN} where there is none, or it is not shown. */
    public static long start(final long pid) {
        return start(facts(pid));
    }

    private static long start(final String[] facts) {
        return facts.length > START ? Long.parseLong(facts[START]) : UNKNOWN;
    }

    /** Whether a process has that number and runs; it may be another one than who had it before. */
    public static boolean isAlive(final long pid) {
        return isAlive(pid, UNKNOWN);
    }

    /**
     * Whether the process of that number which began then runs. One that has ended has its number until its parent asks
     * what became of it, as nobody does in some containers.
     *
     * @param start {@link #UNKNOWN} for any process of that number
     */
    public static boolean isAlive(final long pid, final long start) {
        if (!ProcessHandle.of(pid).map(ProcessHandle::isAlive).orElse(false)) {
            return false;
        }
        final String[] facts = facts(pid);
        final long now = start(facts);
        return !hasEnded(facts) && (start == UNKNOWN || now == UNKNOWN || now == start);
    }

    /** The state is that of the first thread, which may have ended before the others. */
    private static boolean hasEnded(final String[] facts) {
        return facts.length > START && DEAD.contains(facts[STATE]) && Integer.parseInt(facts[THREADS]) <= 1;
    }

    /** Nothing where there is no such process, or it is not shown. */
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
