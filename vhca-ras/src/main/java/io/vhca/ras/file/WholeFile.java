package io.vhca.ras.file;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Files that are there as a whole or not at all. Each is written as {@code NAME.PID.NUMBER.part}, a name that no other
 * writer has, and gets its own name, in the place of another, when it is whole. Any thread.
 */
public final class WholeFile {
    private static final String SUFFIX = ".part";
    private static final Pattern PART = Pattern.compile(".+\\.([0-9]+)\\.[0-9]+\\" + SUFFIX);
    private static final AtomicLong LAST = new AtomicLong();

    private WholeFile() {}

    /** What is written. */
    public interface Content {
        void write(FileChannel to) throws IOException;
    }

    /**
     * Writes a file of exactly this mode in the place of another of that name. Of those who write it at once the last
     * one's is there.
     *
     * @throws IOException where it cannot be written; another one of that name is what it was
     */
    public static void write(
            final PrivateDirectory directory, final Path name, final Set<PosixFilePermission> mode,
            final Content content)
            throws IOException {
        boolean isTried = false;
        while (!isTried) {
            final Path part =
                    Path.of(name + "." + ProcessHandle.current().pid() + "." + LAST.incrementAndGet() + SUFFIX);
            try (FileChannel file = directory.createFile(part, mode)) {
                isTried = true;
                write(directory, part, file, name, content);
            } catch (final FileAlreadyExistsException e) {
                if (isTried) {
                    throw e;
                }
                // Another process has, or had, the same number: in containers all begin with the same ones.
            }
        }
    }

    private static void write(
            final PrivateDirectory directory, final Path part, final FileChannel file, final Path name,
            final Content content)
            throws IOException {
        boolean isWhole = false;
        try {
            content.write(file);
            directory.move(part, name);
            isWhole = true;
        } finally {
            if (!isWhole) {
                directory.delete(part);
            }
        }
    }

    /** The process that writes, or wrote, a file which is no whole one yet; empty where the name is no such file's. */
    public static String writer(final String name) {
        final Matcher part = PART.matcher(name);
        return part.matches() ? part.group(1) : "";
    }
}
