package io.vhca.rdp.shared;

import io.vhca.rdp.status.StatusFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.jspecify.annotations.Nullable;

/**
 * Where a shared driver is attached to: the Unix domain socket {@code DEVICE.rdpd} in {@code -Dvhca.rdp.socket.dir},
 * else {@code VHCA_RDP_SOCKET_DIR}, else beside the status files, where only this user reaches it. In a directory that
 * is named all users reach it that reach the directory.
 */
final class AttachPath {
    static final String PROPERTY = "vhca.rdp.socket.dir";

    private static final String SUFFIX = ".rdpd";
    private static final String FOR_ALL = "rw-rw-rw-";

    private AttachPath() {}

    private static @Nullable Path named() {
        final String set = System.getProperty(PROPERTY, System.getenv("VHCA_RDP_SOCKET_DIR"));
        return set == null || set.isBlank() ? null : Path.of(set);
    }

    /**
     * The socket, there or not.
     *
     * @throws IOException where others may write to the directory of this user's status files
     */
    static Path of(final String device) throws IOException {
        final Path directory = named();
        if (directory == null) {
            StatusFiles.prepare();
        }
        return (directory == null ? StatusFiles.directory() : directory).resolve(device + SUFFIX);
    }

    /** Lets those reach a socket that may. */
    static void open(final Path socket) throws IOException {
        if (named() == null) {
            StatusFiles.own(socket);
        } else {
            Files.setPosixFilePermissions(socket, PosixFilePermissions.fromString(FOR_ALL));
        }
    }
}
