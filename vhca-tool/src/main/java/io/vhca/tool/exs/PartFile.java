package io.vhca.tool.exs;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What has arrived of a file by now, under a name that no file arrives under. It is locked until it is closed: of two
 * that wrote it, one would cut what the other one has, and give it the file's name while that goes on writing.
 */
final class PartFile implements AutoCloseable {
    private static final String PREFIX = ".";
    private static final String SUFFIX = ".part";
    /** Bytes of a file's name that leave room, in the 255 that file systems have, for what is added here. */
    static final int MOST_NAME = 255 - PREFIX.length() - SUFFIX.length();

    private final Path path;
    // The only channel to it: the close of another one would end the lock.
    private final FileChannel channel;

    private PartFile(final Path path, final FileChannel channel) {
        this.path = path;
        this.channel = channel;
    }

    /**
     * What is there of that file, or nothing.
     *
     * @throws IOException also where another process receives it
     */
    static PartFile open(final Path directory, final String name) throws IOException {
        final Path path = path(directory, name);
        try {
            Files.createFile(path);
        } catch (final FileAlreadyExistsException e) {
            // an earlier copy began it
        }
        final FileChannel channel = lock(path);
        if (channel == null) {
            throw new IOException(path + " is being received already");
        }
        return new PartFile(path, channel);
    }

    /** Whoever else may write into the directory does not say by a link which file is overwritten. */
    private static Path path(final Path directory, final String name) throws IOException {
        try {
            final Path path = directory.resolve(PREFIX + name + SUFFIX);
            refuseOther(path, name, LinkOption.NOFOLLOW_LINKS);
            // The file replaces a link that is there, but neither a device nor a directory.
            refuseOther(directory.resolve(name), name);
            return path;
        } catch (final InvalidPathException e) {
            // Some file systems have no such names, as one whose locale has no such letters.
            throw new IOException("a file is not taken under the name " + name + ": " + e.getReason(), e);
        }
    }

    private static void refuseOther(final Path path, final String name, final LinkOption... how) throws IOException {
        if (Files.exists(path, how) && !Files.isRegularFile(path, how)) {
            throw new IOException(path + " is in the way and no regular file: delete it and copy " + name + " again");
        }
    }

    /** Null where another one has it, or had it: what was opened may have got the file's name before it was locked. */
    private static @Nullable FileChannel lock(final Path path) throws IOException {
        FileChannel channel = null;
        boolean isLocked = false;
        try {
            final Object key = key(path);
            channel = FileChannel.open(
                    path, StandardOpenOption.READ, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS);
            isLocked = isOurs(channel) && Objects.equals(key(path), key);
        } catch (final NoSuchFileException e) {
            isLocked = false;
        } finally {
            if (channel != null && !isLocked) {
                channel.close();
            }
        }
        return isLocked ? channel : null;
    }

    private static boolean isOurs(final FileChannel channel) {
        try {
            return channel.tryLock() != null;
        } catch (final OverlappingFileLockException e) {
            return false;
        } catch (final IOException e) {
            // A file system without locks, as some of clusters are mounted: who shares a directory there is not told.
            return true;
        }
    }

    private static @Nullable Object key(final Path path) throws IOException {
        return Files.readAttributes(path, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS)
                .fileKey();
    }

    Path path() {
        return path;
    }

    FileChannel channel() {
        return channel;
    }

    /** It is the file now, in the place of another one of that name. */
    void publish(final String name) throws IOException {
        Files.move(path, path.resolveSibling(name), StandardCopyOption.REPLACE_EXISTING);
    }

    void delete() throws IOException {
        Files.deleteIfExists(path);
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
