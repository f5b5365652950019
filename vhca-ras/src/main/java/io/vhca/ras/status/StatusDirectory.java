package io.vhca.ras.status;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Where the bonds of this user's processes keep their status files: {@code -Dvhca.status.dir}, else
 * {@code VHCA_STATUS_DIR}, else {@code /dev/shm/vhca-USER}, else {@code vhca-USER} in the directory for temporary
 * files. A bond's file is {@code NAME.PID.status}, its socket {@code NAME.PID.socket}. Any thread.
 */
public final class StatusDirectory {
    /** System property that names another directory. */
    public static final String PROPERTY = "vhca.status.dir";

    private static final String VARIABLE = "VHCA_STATUS_DIR";
    private static final Path SHARED_MEMORY = Path.of("/dev/shm");
    static final String FILE_SUFFIX = ".status";
    static final String SOCKET_SUFFIX = ".socket";

    private StatusDirectory() {}

    /** The directory, there or not. */
    public static Path path() {
        final @Nullable String set = System.getProperty(PROPERTY, System.getenv(VARIABLE));
        if (set != null && !set.isBlank()) {
            return Path.of(set);
        }
        final String name = "vhca-" + System.getProperty("user.name", "unknown");
        return Files.isDirectory(SHARED_MEMORY)
                ? SHARED_MEMORY.resolve(name)
                : Path.of(System.getProperty("java.io.tmpdir", "/tmp"), name);
    }

    /**
     * The status files in a directory, by name; none where there is no such directory.
     *
     * @throws IOException where it cannot be listed
     */
    public static List<Path> files(final Path directory) throws IOException {
        if (!Files.isDirectory(directory)) {
            return List.of();
        }
        try (Stream<Path> all = Files.list(directory)) {
            return all.filter(file -> name(file).endsWith(FILE_SUFFIX)).sorted().toList();
        } catch (final UncheckedIOException e) {
            throw e.getCause();
        }
    }

    /** Creates the directory, for its owner and the owner's group only. */
    static void create(final Path directory) throws IOException {
        Files.createDirectories(
                directory, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwxr-x---")));
    }

    /** Deletes what processes that are gone left behind of a bond of that name. */
    static void sweep(final Path directory, final String bond) throws IOException {
        for (final Path file : files(directory)) {
            final String stem = name(file).substring(0, name(file).length() - FILE_SUFFIX.length());
            final int dot = stem.lastIndexOf('.');
            if (dot > 0 && stem.substring(0, dot).equals(bond) && isGone(stem.substring(dot + 1))) {
                delete(file);
                delete(directory.resolve(stem + SOCKET_SUFFIX));
            }
        }
    }

    private static boolean isGone(final String pid) {
        return pid.chars().allMatch(Character::isDigit)
                && !ProcessHandle.of(Long.parseLong(pid)).map(ProcessHandle::isAlive).orElse(false);
    }

    /** A file that is in nobody's way when it stays. */
    static void delete(final Path file) {
        try {
            Files.deleteIfExists(file);
        } catch (final IOException e) {
            file.toFile().deleteOnExit();
        }
    }

    static String name(final Path file) {
        return Objects.requireNonNull(file.getFileName()).toString();
    }
}
