package io.vhca.ras.trace;

import io.vhca.ras.file.PrivateDirectory;
import io.vhca.ras.status.StatusDirectory;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The trace files in a status directory, {@code NAME.PID.trace}, or {@code NAME.PID-NUMBER.trace} of a process that
 * died and whose number another one has now: in containers all have the same. Those of processes that have died are
 * what one wants to read; the last {@value #KEPT} of each bond are kept. Any thread.
 */
public final class TraceFiles {
    static final int KEPT = 4;

    private static final String SUFFIX = ".trace";
    private static final Pattern LEFT = Pattern.compile("([0-9]+)-[0-9]+");

    private TraceFiles() {}

    static Path of(final String bond) {
        return of(bond, ProcessHandle.current().pid());
    }

    /** The name of a bond's trace, in the directory of its status file. */
    public static Path of(final String bond, final long pid) {
        return Path.of(bond + "." + pid + SUFFIX);
    }

    /**
     * Those of a bond, of every bond where the name is empty, and of one process, of all where it is 0; the one that
     * was written last comes last.
     *
     * @throws io.vhca.api.UntrustedFileException where others than this user may change what is in the directory
     * @throws IOException                             where it cannot be listed
     */
    public static List<Path> find(final String bond, final long pid) throws IOException {
        final List<Path> files = StatusDirectory.trustedFiles(SUFFIX).stream()
                .filter(file -> !bond(file).isEmpty())
                .filter(file -> bond.isEmpty() || bond(file).equals(bond))
                .filter(file -> pid == 0 || pid(writer(file)).equals(Long.toString(pid)))
                .toList();
        final long nowMs = System.currentTimeMillis();
        final long nowNs = System.nanoTime();
        return StatusDirectory.oldestFirst(files, file -> writtenMs(file, nowMs, nowNs));
    }

    /**
     * Memory is written, and a file system may not take the file for one that is written with it: the records say when
     * they were made, and of those since the host was booted their age does, whatever was done to its clock. Where they
     * cannot be read, or were made before the clock was set back, the file system has the word.
     */
    private static long writtenMs(final Path file, final long nowMs, final long nowNs) {
        final long modifiedMs = StatusDirectory.orderMs(StatusDirectory.modifiedMs(file), nowMs);
        try {
            final TraceReader.Last last = TraceReader.last(file);
            return last.boot() != Boot.NONE && last.boot() == Boot.id()
                    ? nowMs - TimeUnit.NANOSECONDS.toMillis(nowNs - last.nanoTime())
                    : Math.max(modifiedMs, StatusDirectory.orderMs(last.epochMs(), nowMs));
        } catch (final IOException e) {
            return modifiedMs;
        }
    }

    /** Whose trace it is, by its name; an empty text where that is no trace's. */
    private static String bond(final Path file) {
        final String name = StatusDirectory.name(file);
        return name.endsWith(SUFFIX) ? stem(name).substring(0, Math.max(0, stem(name).lastIndexOf('.'))) : "";
    }

    /** What follows the bond's name. */
    private static String writer(final Path file) {
        return stem(StatusDirectory.name(file)).substring(bond(file).length() + 1);
    }

    /** Whether the process that wrote a trace is no more, by the file's name and by what is in it. */
    public static boolean isLeft(final Path file) {
        if (bond(file).isEmpty()) {
            return false;
        }
        final String writer = writer(file);
        return LEFT.matcher(writer).matches() || StatusDirectory.isGone(writer, TraceReader.processStart(file));
    }

    /** Of the process that wrote it; what follows a bond's name in a file's. */
    private static String pid(final String writer) {
        final Matcher left = LEFT.matcher(writer);
        return left.matches() ? left.group(1) : writer;
    }

    /** Gives what an earlier process left, whose number this one has, another name. */
    static void keepLeft(final PrivateDirectory directory, final String bond) throws IOException {
        final List<Path> names = directory.names();
        final Path own = of(bond);
        if (names.contains(own)) {
            final String stem = stem(own.toString());
            long number = 1;
            while (names.contains(Path.of(stem + "-" + number + SUFFIX))) {
                number++;
            }
            directory.move(own, Path.of(stem + "-" + number + SUFFIX));
        }
    }

    private static String stem(final String name) {
        return name.substring(0, name.length() - SUFFIX.length());
    }

    /** Deletes what processes that are gone left behind of a bond of that name, but for the last few. */
    static void sweep(final PrivateDirectory directory, final String bond, final long nowMs, final long nowNs)
            throws IOException {
        final List<Path> dead = new ArrayList<>();
        for (final Path file : directory.names()) {
            if (bond(file).equals(bond) && isLeft(directory.path().resolve(file))) {
                dead.add(file);
            }
        }
        StatusDirectory.allButNewest(dead, KEPT, file -> writtenMs(directory.path().resolve(file), nowMs, nowNs))
                .forEach(file -> StatusDirectory.delete(directory, file));
    }
}
