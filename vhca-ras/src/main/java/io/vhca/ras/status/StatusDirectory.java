package io.vhca.ras.status;

import io.vhca.api.ProcessLife;
import io.vhca.api.ProcessUser;
import io.vhca.api.UntrustedFileException;
import io.vhca.ras.file.PrivateDirectory;
import io.vhca.ras.file.WholeFile;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.System.Logger;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.ToLongFunction;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Where the bonds of this user's processes keep their status files: {@code -Dvhca.status.dir}, else
 * {@code VHCA_STATUS_DIR}, else {@code /dev/shm/vhca-USER}, else {@code vhca-USER} in the directory for temporary
 * files. USER is the number of a user that has no name. A bond's file is {@code NAME.PID.status}, its socket
 * {@code NAME.PID.socket}; both are made and deleted only in a {@link PrivateDirectory}. Any thread.
 */
public final class StatusDirectory {
    /** System property that names another directory. */
    public static final String PROPERTY = "vhca.status.dir";

    private static final String VARIABLE = "VHCA_STATUS_DIR";
    private static final Path SHARED_MEMORY = Path.of("/dev/shm");
    private static final Logger LOGGER = System.getLogger(StatusDirectory.class.getName());
    private static final int MAX_PID_DIGITS = 18;
    /** What a process has written of a bond when it was asked to, or when something failed. */
    private static final Pattern REPORT =
            Pattern.compile("\\.([0-9]+)(-[0-9]+)?\\.((?:[a-z_]+\\.)?(?:dump|health|memory|threads))");
    /** Which bonds this process has opened, in which directories. */
    private static final Set<Path> OPENED = ConcurrentHashMap.newKeySet();

    /** Clocks of a file system and of the process may differ by less. */
    private static final long LATEST_AHEAD_MS = 1_000;

    /** Of processes that are gone, of each kind and bond. */
    static final int REPORTS_KEPT = 4;

    static final String FILE_SUFFIX = ".status";
    static final String SOCKET_SUFFIX = ".socket";

    private StatusDirectory() {}

    /** The directory, there or not. */
    public static Path path() {
        final Optional<Path> named = named();
        if (named.isPresent()) {
            return named.get();
        }
        final String name = "vhca-" + ProcessUser.label();
        return Files.isDirectory(SHARED_MEMORY)
                ? SHARED_MEMORY.resolve(name)
                : Path.of(System.getProperty("java.io.tmpdir", "/tmp"), name);
    }

    /** What somebody said which directory it is. */
    private static Optional<Path> named() {
        final @Nullable String set = System.getProperty(PROPERTY, System.getenv(VARIABLE));
        return set == null || set.isBlank() ? Optional.empty() : Optional.of(Path.of(set));
    }

    /**
     * The status files in a directory, by name; none where there is no such directory.
     *
     * @throws IOException where it cannot be listed
     */
    public static List<Path> files(final Path directory) throws IOException {
        return files(directory, FILE_SUFFIX);
    }

    private static List<Path> files(final Path directory, final String suffix) throws IOException {
        if (!Files.isDirectory(directory)) {
            return List.of();
        }
        try (Stream<Path> all = Files.list(directory)) {
            return all.filter(file -> name(file).endsWith(suffix)).sorted().toList();
        } catch (final UncheckedIOException e) {
            throw e.getCause();
        }
    }

    /**
     * The status files of the directory for whoever looks: of {@link #path}, which is trusted where it was named, and
     * else where this user alone decides what is in it.
     *
     * @throws UntrustedFileException where others may
     * @throws IOException            where it cannot be listed
     */
    public static List<Path> trustedFiles() throws IOException {
        return trustedFiles(FILE_SUFFIX);
    }

    /** The same of files whose names end so. */
    public static List<Path> trustedFiles(final String suffix) throws IOException {
        final Path directory = path();
        if (named().isEmpty() && Files.exists(directory, LinkOption.NOFOLLOW_LINKS)) {
            PrivateDirectory.open(directory).close();
        }
        return files(directory, suffix);
    }

    /** Deletes what processes that are gone left behind of a bond of that name; the last few reports stay. */
    static void sweep(final PrivateDirectory directory, final String bond, final long nowMs) throws IOException {
        sweepReports(directory, bond, nowMs);
        for (final Path file : directory.names()) {
            final String writer = WholeFile.writer(name(file));
            if (!writer.isEmpty() && name(file).startsWith(bond + ".") && isGone(writer)) {
                delete(directory, file);
            } else if (name(file).endsWith(FILE_SUFFIX)) {
                final String stem = name(file).substring(0, name(file).length() - FILE_SUFFIX.length());
                final int dot = stem.lastIndexOf('.');
                if (dot > 0 && stem.substring(0, dot).equals(bond)
                        && isGone(stem.substring(dot + 1), StatusReader.processStart(directory.path().resolve(file)))) {
                    delete(directory, file);
                    delete(directory, Path.of(stem + SOCKET_SUFFIX));
                }
            }
        }
    }

    /**
     * Before a process opens a bond of that name for the first time: gives reports that an earlier process left, whose
     * number this one has, another name, {@code NAME.PID-NUMBER} and what follows. In containers all have the same
     * number, and the next report would replace them.
     */
    static void keepLeft(final PrivateDirectory directory, final String bond) throws IOException {
        if (OPENED.add(directory.path().toAbsolutePath().resolve(bond))) {
            moveLeft(directory, bond);
        }
    }

    /** The same, whoever made them. */
    static void moveLeft(final PrivateDirectory directory, final String bond) throws IOException {
        final String stem = bond + "." + ProcessHandle.current().pid();
        final List<Path> names = directory.names();
        for (final Path file : names) {
            final Matcher report = report(file, bond);
            if (report.matches() && name(file).startsWith(stem + ".")) {
                long number = 1;
                while (names.contains(Path.of(stem + "-" + number + "." + report.group(3)))) {
                    number++;
                }
                moveIfThere(directory, file, Path.of(stem + "-" + number + "." + report.group(3)));
            }
        }
    }

    private static void moveIfThere(final PrivateDirectory directory, final Path from, final Path to)
            throws IOException {
        try {
            directory.move(from, to);
        } catch (final NoSuchFileException e) {
            // Who asked for it has taken it away, or another container's process has kept it.
        }
    }

    /** What of a file's name follows the name of the bond. */
    private static Matcher report(final Path file, final String bond) {
        final String name = name(file);
        return REPORT.matcher(name.startsWith(bond) ? name.substring(bond.length()) : "");
    }

    private static void sweepReports(final PrivateDirectory directory, final String bond, final long nowMs)
            throws IOException {
        final Map<String, List<Path>> left = new HashMap<>();
        for (final Path file : directory.names()) {
            final Matcher report = report(file, bond);
            if (report.matches() && (report.group(2) != null || isGone(report.group(1)))) {
                left.computeIfAbsent(report.group(3), kind -> new ArrayList<>()).add(file);
            }
        }
        left.values().forEach(kind -> allButNewest(
                        kind, REPORTS_KEPT, file -> orderMs(modifiedMs(directory.path().resolve(file)), nowMs))
                .forEach(file -> delete(directory, file)));
    }

    /** Of files all but so many of those that were written last, by when somebody says that each was, oldest first. */
    public static List<Path> allButNewest(
            final List<Path> files, final int kept, final ToLongFunction<Path> writtenMs) {
        return oldestFirst(files, writtenMs).stream()
                .limit(Math.max(0, files.size() - kept))
                .toList();
    }

    /**
     * By when somebody says that each was written last, then by name. Each is looked at once: it may be written or
     * deleted meanwhile, and an order that changes is none.
     */
    public static List<Path> oldestFirst(final List<Path> files, final ToLongFunction<Path> writtenMs) {
        final Map<Path, Long> written = new HashMap<>();
        files.forEach(file -> written.put(file, writtenMs.applyAsLong(file)));
        return files.stream()
                .sorted(Comparator.<Path, Long>comparing(written::get).thenComparing(Comparator.naturalOrder()))
                .toList();
    }

    /** When it was written last; 0 of one that is gone. */
    public static long modifiedMs(final Path file) {
        try {
            return Files.getLastModifiedTime(file, LinkOption.NOFOLLOW_LINKS).toMillis();
        } catch (final IOException e) {
            // It went since it was listed.
            return 0;
        }
    }

    /**
     * What a time tells of an order: one that lies ahead is from before the clock was set back, and comes before all
     * those since.
     */
    public static long orderMs(final long writtenMs, final long nowMs) {
        return writtenMs - nowMs > LATEST_AHEAD_MS ? writtenMs + Long.MIN_VALUE : writtenMs;
    }

    /** Whether no process has that number. */
    public static boolean isGone(final String pid) {
        return isGone(pid, ProcessLife.UNKNOWN);
    }

    /** Whether no process has that number, or one that began at another time. */
    public static boolean isGone(final String pid, final long start) {
        return pid.length() <= MAX_PID_DIGITS
                && pid.chars().allMatch(c -> c >= '0' && c <= '9')
                && !ProcessLife.isAlive(Long.parseLong(pid), start);
    }

    /** Deletes a file that is in nobody's way when it stays. */
    public static void delete(final PrivateDirectory directory, final Path name) {
        try {
            directory.delete(name);
        } catch (final IOException e) {
            LOGGER.log(Logger.Level.DEBUG, directory.path().resolve(name) + " was not deleted: " + e);
        }
    }

    /** The same, where it is still the one with that key: a process in another container may have the same number. */
    public static void delete(
            final PrivateDirectory directory, final Path name, final @Nullable Object key) {
        try {
            directory.delete(name, key);
        } catch (final IOException e) {
            LOGGER.log(Logger.Level.DEBUG, directory.path().resolve(name) + " was not deleted: " + e);
        }
    }

    /** What this process runs, without its arguments: those may be nobody's business. */
    public static String program() {
        return System.getProperty("sun.java.command", "").strip().split("\\s+", 2)[0];
    }

    /** The last part of its path. */
    public static String name(final Path file) {
        return Objects.requireNonNull(file.getFileName()).toString();
    }
}
