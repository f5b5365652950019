package io.vhca.ras.file;

import io.vhca.api.OwnDirectory;
import io.vhca.api.UntrustedFileException;
import java.io.Closeable;
import java.io.IOException;
import java.lang.System.Logger;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SecureDirectoryStream;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributeView;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * An open directory that is this user's own ({@link OwnDirectory}). Names are looked up in the directory that was
 * opened, whatever becomes of its path; no symbolic link is followed. Any thread.
 */
public final class PrivateDirectory implements Closeable {
    private static final Logger LOGGER = System.getLogger(PrivateDirectory.class.getName());
    private static final String ELSEWHERE = "name another directory";

    private final Path path;
    private final SecureDirectoryStream<Path> entries;

    private PrivateDirectory(final Path path, final SecureDirectoryStream<Path> entries) {
        this.path = path;
        this.entries = entries;
    }

    /**
     * Opens a directory, which is made where there is none.
     *
     * @param mode what it has at least, and exactly where it is made
     * @throws UntrustedFileException where others may change what is in it
     */
    public static PrivateDirectory create(final Path directory, final Set<PosixFilePermission> mode)
            throws IOException {
        Files.createDirectories(directory, PosixFilePermissions.asFileAttribute(mode));
        final PrivateDirectory opened = open(directory);
        try {
            opened.permit(mode);
            return opened;
        } catch (final Throwable e) {
            opened.close();
            throw e;
        }
    }

    /**
     * Opens a directory.
     *
     * @throws NoSuchFileException    where there is none
     * @throws UntrustedFileException where others may change what is in it
     */
    public static PrivateDirectory open(final Path directory) throws IOException {
        final OwnDirectory seen = OwnDirectory.check(directory, ELSEWHERE);
        final DirectoryStream<Path> opened = Files.newDirectoryStream(seen.path());
        try {
            if (!(opened instanceof SecureDirectoryStream<Path> entries)) {
                throw new IOException(directory + " is on a file system without names relative to a directory");
            }
            seen.checkSame(entries.getFileAttributeView(PosixFileAttributeView.class)
                    .readAttributes()
                    .fileKey());
            return new PrivateDirectory(seen.path(), entries);
        } catch (final Throwable e) {
            opened.close();
            throw e;
        }
    }

    /**
     * Looks whether a directory can be opened, or made, as far as others than this user are concerned.
     *
     * @throws UntrustedFileException where others may change what is in it
     */
    public static void check(final Path directory) throws IOException {
        if (Files.exists(directory, LinkOption.NOFOLLOW_LINKS)) {
            open(directory).close();
            return;
        }
        Path there = directory.toAbsolutePath();
        while (!Files.exists(there) && there.getParent() != null) {
            there = there.getParent();
        }
        OwnDirectory.checkAbove(directory, there.toRealPath(), ELSEWHERE);
    }

    private void permit(final Set<PosixFilePermission> mode) throws IOException {
        final PosixFileAttributeView view = entries.getFileAttributeView(PosixFileAttributeView.class);
        final Set<PosixFilePermission> permissions = view.readAttributes().permissions();
        if (permissions.addAll(mode)) {
            view.setPermissions(permissions);
        }
    }

    /** Gives a file in it exactly that mode. */
    public void permit(final Path name, final Set<PosixFilePermission> mode) throws IOException {
        entries.getFileAttributeView(name, PosixFileAttributeView.class, LinkOption.NOFOLLOW_LINKS)
                .setPermissions(mode);
    }

    /** Where it is; no part of it is a symbolic link. */
    public Path path() {
        return path;
    }

    /** Names of what is in it. */
    public List<Path> names() throws IOException {
        final List<Path> names = new ArrayList<>();
        try (SecureDirectoryStream<Path> all =
                entries.newDirectoryStream(Path.of("."), LinkOption.NOFOLLOW_LINKS)) {
            all.forEach(entry -> names.add(Objects.requireNonNull(entry.getFileName())));
        } catch (final DirectoryIteratorException e) {
            throw e.getCause();
        }
        return names;
    }

    /** A file that is not there yet, of exactly this mode whatever the process's umask is. */
    public FileChannel createFile(final Path name, final Set<PosixFilePermission> mode) throws IOException {
        final FileChannel file = (FileChannel) entries.newByteChannel(
                name,
                Set.of(
                        StandardOpenOption.CREATE_NEW,
                        StandardOpenOption.READ,
                        StandardOpenOption.WRITE,
                        LinkOption.NOFOLLOW_LINKS),
                PosixFilePermissions.asFileAttribute(mode));
        try {
            permit(name, mode);
            return file;
        } catch (final Throwable e) {
            file.close();
            delete(name);
            throw e;
        }
    }

    /** Gives a file in it another name, in the place of another file that has it. */
    public void move(final Path from, final Path to) throws IOException {
        entries.move(from, entries, to);
    }

    /** Deletes a file, where there is one. */
    public void delete(final Path name) throws IOException {
        try {
            entries.deleteFile(name);
        } catch (final NoSuchFileException e) {
            // As wanted.
        }
    }

    /** What tells a file from another one that has its name later; null where there is none. */
    public @Nullable Object key(final Path name) throws IOException {
        try {
            return entries.getFileAttributeView(name, BasicFileAttributeView.class, LinkOption.NOFOLLOW_LINKS)
                    .readAttributes()
                    .fileKey();
        } catch (final NoSuchFileException e) {
            return null;
        }
    }

    /** Deletes a file where it is still the one with that key. */
    public void delete(final Path name, final @Nullable Object key) throws IOException {
        if (Objects.equals(key, key(name))) {
            delete(name);
        }
    }

    @Override
    public void close() throws IOException {
        entries.close();
    }

    /** The same; where that fails the log says so. */
    public void closeQuietly() {
        try {
            close();
        } catch (final IOException e) {
            LOGGER.log(Logger.Level.DEBUG, path + " was not closed: " + e.getMessage());
        }
    }
}
