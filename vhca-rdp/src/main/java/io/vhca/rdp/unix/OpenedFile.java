package io.vhca.rdp.unix;

import io.vhca.api.Errno;
import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/**
 * A file that was opened once, no symbolic link: what is asked and read by {@link #path} is that file, whatever stands
 * under its name meanwhile. It owns a descriptor. Any thread.
 */
public final class OpenedFile implements AutoCloseable {
    private static final int NONBLOCK = 04_000;
    private static final int CLOEXEC = 02_000_000;
    private static final boolean IS_ARM = System.getProperty("os.arch").equals("aarch64");
    private static final int NOFOLLOW = IS_ARM ? 0100_000 : 0400_000;

    private final int descriptor;

    private OpenedFile(final int descriptor) {
        this.descriptor = descriptor;
    }

    /**
     * Opens a file to be read.
     *
     * @throws NoSuchFileException where there is none
     * @throws IOException where it cannot be opened, or is a symbolic link
     */
    public static OpenedFile open(final Path file) throws IOException {
        // Without NONBLOCK a pipe that stands there would be waited for.
        final int descriptor = Libc.open(file.toString(), NOFOLLOW | NONBLOCK | CLOEXEC);
        if (descriptor == -Errno.ENOENT) {
            throw new NoSuchFileException(file.toString());
        }
        if (descriptor < 0) {
            throw new FileSystemException(
                    file.toString(), null, "it cannot be opened, or is a symbolic link (errno " + -descriptor + ")");
        }
        return new OpenedFile(descriptor);
    }

    /** Leads to this file, not by its name. */
    public Path path() {
        return Path.of("/proc/self/fd/" + descriptor);
    }

    @Override
    public void close() throws IOException {
        Libc.close(descriptor);
    }
}
