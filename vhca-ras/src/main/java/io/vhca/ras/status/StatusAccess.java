package io.vhca.ras.status;

import io.vhca.bond.config.ServiceMode.StatusMode;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;

/**
 * What {@link StatusMode} means for the files of a bond.
 *
 * @param directory of the status directory, at least
 * @param file      of the status file
 * @param socket    of the control socket
 */
record StatusAccess(
        Set<PosixFilePermission> directory, Set<PosixFilePermission> file, Set<PosixFilePermission> socket) {
    static StatusAccess of(final StatusMode mode) {
        return switch (mode) {
            case OWNER -> of("rwx------", "rw-------", "rw-------");
            case GROUP -> of("rwxr-x---", "rw-r-----", "rw-rw----");
        };
    }

    private static StatusAccess of(final String directory, final String file, final String socket) {
        return new StatusAccess(
                PosixFilePermissions.fromString(directory),
                PosixFilePermissions.fromString(file),
                PosixFilePermissions.fromString(socket));
    }
}
