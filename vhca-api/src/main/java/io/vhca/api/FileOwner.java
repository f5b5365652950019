package io.vhca.api;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;

/** Whose a file is. For providers. Any thread. */
public final class FileOwner {
    private FileOwner() {}

    /** By number: in a container a user may have no name. */
    public static long number(final Path file, final LinkOption... options) throws IOException {
        return Integer.toUnsignedLong((Integer) Files.getAttribute(file, "unix:uid", options));
    }
}
