package io.vhca.ras.file;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;

/** Directories for their owner alone, whatever the umask is; one that its group may write to is refused. */
public final class OwnDirectories {
    private static final FileAttribute<Set<PosixFilePermission>> OWNER =
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"));

    private OwnDirectories() {}

    /** Makes one, and those above it that are missing. */
    public static Path create(final Path directory) throws IOException {
        return Files.createDirectories(directory, OWNER);
    }
}
