package io.vhca.rdp.status;

import io.vhca.api.FailureText;
import io.vhca.api.OpenedFile;
import io.vhca.api.OwnDirectory;
import io.vhca.api.ProcessLife;
import io.vhca.api.ProcessUser;
import io.vhca.api.UnixSockets;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.System.Logger;
import java.nio.ByteBuffer;
import java.nio.channels.SeekableByteChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The files in which the drivers of this user's processes say what they are: {@code DEVICE.PID.rdp} in
 * {@code -Dvhca.status.dir}, else {@code VHCA_STATUS_DIR}, else {@code /dev/shm/vhca-USER}, else {@code vhca-USER} in
 * the directory for temporary files, where USER is the number of a user without a name. A driver writes only where
 * nobody else may; what is there is read from one that nobody named only where that is so.
 */
public final class StatusFiles {
    private static final Logger LOGGER = System.getLogger(StatusFiles.class.getName());
    private static final String NAMING = "VHCA_STATUS_DIR";
    private static final String ELSEWHERE = "name another one by " + NAMING;
    private static final String SUFFIX = ".rdp";
    private static final String NEXT = ".new";
    private static final Pattern NAME = Pattern.compile("\\.(\\d{1,18})\\.rdp$");
    /** What a driver has there, behind the device's name. */
    private static final String LEFT = "\\.(\\d{1,18})\\.(?:rdp|rdp\\.new|rdpctl)";
    /** Ten times what a driver lets pass before it writes its status again. */
    private static final long WRITTEN_WITHIN_MS = 10_000;
    /** More than a driver says that has all sockets and nodes that there can be. */
    private static final int MOST_BYTES = 16 << 20;
    private static final Set<PosixFilePermission> OWN_DIRECTORY = PosixFilePermissions.fromString("rwx------");
    private static final Set<PosixFilePermission> OWN_FILE = PosixFilePermissions.fromString("rw-------");
    private static final Path SHARED_MEMORY = Path.of("/dev/shm");

    private StatusFiles() {}

    private static @Nullable Path named() {
        final String set = System.getProperty("vhca.status.dir", System.getenv(NAMING));
        return set == null || set.isBlank() ? null : Path.of(set);
    }

    /** The directory, there or not. */
    public static Path directory() {
        final Path named = named();
        if (named != null) {
            return named;
        }
        final String name = "vhca-" + ProcessUser.label();
        return Files.isDirectory(SHARED_MEMORY)
                ? SHARED_MEMORY.resolve(name)
                : Path.of(System.getProperty("java.io.tmpdir", "/tmp"), name);
    }

    static Path file(final String device, final long pid) {
        return directory().resolve(name(device, pid));
    }

    static String name(final String device, final long pid) {
        return device + "." + pid + SUFFIX;
    }

    /**
     * Makes the directory where it is not there, and refuses one that others may write to, named or not.
     *
     * @return where it is, which nobody else can lead elsewhere by a link in its name
     */
    public static Path prepare() throws IOException {
        final Path directory = directory();
        if (!Files.exists(directory, LinkOption.NOFOLLOW_LINKS)) {
            Files.createDirectories(directory, PosixFilePermissions.asFileAttribute(OWN_DIRECTORY));
        }
        return OwnDirectory.check(directory, ELSEWHERE).path();
    }

    /** For who only looks there: one that was named is read, whoever it belongs to. */
    public static Path prepareToRead() throws IOException {
        final Path named = named();
        return named == null ? prepare() : named;
    }

    /** Deletes a file of a driver that ends, if it is there; that it cannot is nobody's concern but the log's. */
    public static void delete(final Path file) {
        try {
            Files.deleteIfExists(file);
        } catch (final IOException e) {
            LOGGER.log(Logger.Level.DEBUG, file + " was not deleted: " + e.getMessage());
        }
    }

    /** The same, where it is still the one with that key: in another container a process may have the same number. */
    static void delete(final Path file, final @Nullable Object key) {
        if (key != null && key.equals(key(file))) {
            delete(file);
        }
    }

    /** What tells a file from another one that has its name later; null where there is none. */
    static @Nullable Object key(final Path file) {
        try {
            return Files.readAttributes(file, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS).fileKey();
        } catch (final IOException e) {
            return null;
        }
    }

    /** Puts a status in place of the one before, so that a reader sees one or the other. */
    static void write(final Path file, final String text) throws IOException {
        final Path next = file.resolveSibling(file.getFileName() + NEXT);
        Files.deleteIfExists(next);
        boolean isDone = false;
        try {
            writeNew(next, text);
            Files.move(next, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
            isDone = true;
        } finally {
            if (!isDone) {
                delete(next); // where nothing has room it would take some for nothing
            }
        }
    }

    private static void writeNew(final Path file, final String text) throws IOException {
        try (SeekableByteChannel channel = Files.newByteChannel(
                file, Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE),
                PosixFilePermissions.asFileAttribute(OWN_FILE))) {
            final ByteBuffer bytes = ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8));
            while (bytes.hasRemaining()) {
                channel.write(bytes);
            }
        }
    }

    /**
     * Deletes what processes that are gone have left of a driver of that device. In another container a process may
     * live that this one does not see: it listens at its socket, and has written its status not long ago.
     */
    static void sweep(final String device) throws IOException {
        final Path own = prepare();
        final Pattern left = Pattern.compile(Pattern.quote(device) + LEFT);
        for (final Path file : files(own, path -> true)) {
            final Matcher name = left.matcher(String.valueOf(file.getFileName()));
            if (name.matches() && !ProcessLife.isAlive(Long.parseLong(name.group(1))) && isLeft(file)) {
                delete(file);
            }
        }
    }

    private static boolean isLeft(final Path file) {
        if (!file.toString().endsWith(ControlSocket.SUFFIX)) {
            return System.currentTimeMillis() - file.toFile().lastModified() > WRITTEN_WITHIN_MS;
        }
        return UnixSockets.isDeserted(file);
    }

    /**
     * The drivers whose processes are alive, by device and process.
     *
     * @param problem told of each file of such a process that is no driver's status, or cannot be read
     * @throws IOException where the directory cannot be read, or is not this user's own
     */
    public static List<DriverStatus> read(final Consumer<String> problem) throws IOException {
        final List<DriverStatus> drivers = new ArrayList<>();
        for (final Path file : files(path -> path.toString().endsWith(SUFFIX))) {
            if (isOfNobody(file)) {
                continue;
            }
            try {
                final String text = text(file);
                final DriverStatus driver = DriverStatus.parse(text);
                if (ProcessLife.isAlive(driver.pid(), StartLine.in(text))) {
                    drivers.add(driver);
                }
            } catch (final NoSuchFileException e) {
                // Its driver was closed since the directory was listed.
                continue;
            } catch (final IOException e) {
                problem.accept(file + " cannot be read: " + FailureText.of(e));
            } catch (final IllegalArgumentException e) {
                problem.accept(file + " is no driver's status: " + e.getMessage());
            }
        }
        return drivers;
    }

    /** Of whoever put it there: no link is followed, and nothing waited for. */
    private static String text(final Path file) throws IOException {
        try (OpenedFile opened = OpenedFile.open(file)) {
            if (!Files.isRegularFile(opened.path())) {
                throw new IOException("it is no file");
            }
            final byte[] bytes;
            try (InputStream in = Files.newInputStream(opened.path())) {
                bytes = in.readNBytes(MOST_BYTES + 1);
            }
            if (bytes.length > MOST_BYTES) {
                throw new IOException("it is longer than any");
            }
            return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
        }
    }

    private static List<Path> files(final Predicate<Path> which) throws IOException {
        final Path directory = directory();
        if (!Files.isDirectory(directory)) {
            return List.of();
        }
        if (named() == null) {
            return files(OwnDirectory.check(directory, ELSEWHERE).path(), which);
        }
        return files(directory, which);
    }

    private static List<Path> files(final Path directory, final Predicate<Path> which) throws IOException {
        try (Stream<Path> all = Files.list(directory)) {
            return all.filter(which).sorted().toList();
        } catch (final UncheckedIOException e) {
            throw e.getCause();
        }
    }

    /** Whether a process that is gone has left it behind; what is in it is then of no interest. */
    private static boolean isOfNobody(final Path file) {
        final Matcher name = NAME.matcher(file.toString());
        return name.find() && !ProcessLife.isAlive(Long.parseLong(name.group(1)));
    }
}
