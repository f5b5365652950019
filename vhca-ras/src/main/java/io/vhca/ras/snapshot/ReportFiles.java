package io.vhca.ras.snapshot;

import io.vhca.ras.file.PrivateDirectory;
import io.vhca.ras.file.WholeFile;
import io.vhca.ras.file.WholeTransfer;
import io.vhca.ras.status.StatusDirectory;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Reports in a status directory: snapshots are {@code NAME.PID.NUMBER.snapshot}, the last {@value #KEPT} of each bond
 * are kept, also when it is closed; its dump is {@code NAME.PID.dump}. Numbers go on over all processes that have the
 * bond open, and say which of its snapshots is older: clocks are set back. Any thread.
 */
public final class ReportFiles {
    static final int KEPT = 32;
    static final int MAX_BYTES = 64 << 20;

    private static final String SUFFIX = ".snapshot";
    /** The name of the bond may have dots, too. */
    private static final Pattern SNAPSHOT = Pattern.compile("(.+)\\.[0-9]+\\.([0-9]{1,18})\\" + SUFFIX);

    /** Of all bonds of this process: between the choice of a number and its use nobody takes it. */
    private static final ReentrantLock NUMBERS = new ReentrantLock();

    private ReportFiles() {}

    /**
     * The snapshots of a bond, of every bond where the name is empty, oldest first: those of one bond by their numbers,
     * several bonds' by when they were written.
     *
     * @throws io.vhca.api.UntrustedFileException where others than this user may change what is in the directory
     * @throws IOException                             where it cannot be listed
     */
    public static List<Path> snapshots(final String bond) throws IOException {
        final Map<String, List<Path>> ofBonds = new TreeMap<>();
        for (final Path file : StatusDirectory.trustedFiles(SUFFIX)) {
            if (bond.isEmpty() || isSnapshot(file, bond)) {
                ofBonds.computeIfAbsent(bond(file), name -> new ArrayList<>()).add(file);
            }
        }
        final List<Path> all = new ArrayList<>();
        final Map<Path, Long> writtenMs = new HashMap<>();
        for (final List<Path> ofBond : ofBonds.values()) {
            long lastMs = 0;
            for (final Path file : byNumber(ofBond)) {
                lastMs = Math.max(lastMs, StatusDirectory.modifiedMs(file));
                writtenMs.put(file, lastMs);
                all.add(file);
            }
        }
        all.sort(Comparator.comparing(writtenMs::get));
        return all;
    }

    /** Whose snapshot it is; its own name where it is none. */
    private static String bond(final Path file) {
        final String name = StatusDirectory.name(file);
        final Matcher form = SNAPSHOT.matcher(name);
        return form.matches() ? form.group(1) : name;
    }

    /** A bond's name may begin with that of another bond and a dot. */
    private static boolean isSnapshot(final Path file, final String bond) {
        return number(file) >= 0 && bond(file).equals(bond);
    }

    /** Of a snapshot; -1 of what is none. */
    private static long number(final Path file) {
        final Matcher form = SNAPSHOT.matcher(StatusDirectory.name(file));
        return form.matches() ? Long.parseLong(form.group(2)) : -1;
    }

    private static List<Path> byNumber(final List<Path> ofBond) {
        return ofBond.stream()
                .sorted(Comparator.comparingLong(ReportFiles::number).thenComparing(Comparator.naturalOrder()))
                .toList();
    }

    private static List<Path> written(final PrivateDirectory directory, final String bond) throws IOException {
        return byNumber(directory.names().stream().filter(file -> isSnapshot(file, bond)).toList());
    }

    /** The highest number of a snapshot of a bond, whoever has written it. */
    static long lastNumber(final PrivateDirectory directory, final String bond) throws IOException {
        final List<Path> all = written(directory, bond);
        return all.isEmpty() ? 0 : number(all.getLast());
    }

    /** The name of a snapshot of this process. */
    static Path name(final String bond, final long number) {
        return Path.of(bond + "." + ProcessHandle.current().pid() + "." + number + SUFFIX);
    }

    /**
     * Reads a report, of whoever wrote it.
     *
     * @throws IOException where there is none, or it is none
     */
    public static Report read(final Path path) throws IOException {
        try (FileChannel channel = open(path)) {
            return read(path, channel, header(channel));
        }
    }

    /** Opens a report; never what a symbolic link points to. */
    public static FileChannel open(final Path path) throws IOException {
        if (Files.exists(path, LinkOption.NOFOLLOW_LINKS) && !Files.isRegularFile(path, LinkOption.NOFOLLOW_LINKS)) {
            throw new IOException(path + " is no report of a bond: it is no file");
        }
        return FileChannel.open(path, StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS);
    }

    /**
     * Reads the report of a file that is open.
     *
     * @param header that was read from it
     */
    public static Report read(final Path path, final FileChannel channel, final @Nullable DumpHeader header)
            throws IOException {
        try {
            final long size = header == null ? channel.size() : header.textBytes();
            if (size > MAX_BYTES) {
                throw new IOException(path + " is no report of a bond: it is longer than any");
            }
            final ByteBuffer bytes = ByteBuffer.allocate((int) Math.min(size, channel.size()));
            if (!WholeTransfer.read(channel, bytes, header == null ? 0 : DumpHeader.BYTES)) {
                throw new IOException(path + " is cut short: " + bytes.position() + " of " + size
                        + " bytes of its report are there; copy it again");
            }
            return Report.parse(new String(bytes.array(), 0, bytes.position(), StandardCharsets.UTF_8));
        } catch (final Report.NoReportException e) {
            throw new IOException(path + " " + e.getMessage(), e);
        }
    }

    /** What a dump with native memory begins with; null where the file is none. */
    public static @Nullable DumpHeader header(final FileChannel channel) throws IOException {
        final ByteBuffer first = ByteBuffer.allocate(DumpHeader.BYTES);
        return WholeTransfer.read(channel, first, 0) ? DumpHeader.decode(first.array()) : null;
    }

    /** Writes a snapshot behind those of the bond, in the place of the oldest where there are enough of them. */
    static void writeSnapshot(final PrivateDirectory directory, final String bond, final Report report)
            throws IOException {
        NUMBERS.lock();
        try {
            final List<Path> all = written(directory, bond);
            for (final Path old : all.subList(0, Math.max(0, all.size() - KEPT + 1))) {
                directory.delete(old);
            }
            write(directory, name(bond, lastNumber(directory, bond) + 1), report);
        } finally {
            NUMBERS.unlock();
        }
    }

    /** Writes a report in the place of another of that name; who reads it meanwhile sees the one or the other. */
    public static void write(final PrivateDirectory directory, final Path name, final Report report)
            throws IOException {
        WholeFile.write(directory, name, PosixFilePermissions.fromString("rw-------"), file -> WholeTransfer.write(
                file, ByteBuffer.wrap(report.text().getBytes(StandardCharsets.UTF_8))));
    }
}
