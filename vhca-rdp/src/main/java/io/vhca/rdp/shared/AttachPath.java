package io.vhca.rdp.shared;

import io.vhca.api.FileOwner;
import io.vhca.api.OwnDirectory;
import io.vhca.api.ProcessUser;
import io.vhca.rdp.status.StatusFiles;
import io.vhca.rdp.unix.UnixPeer;
import java.io.IOException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Where a shared driver is attached to: the Unix domain socket {@code DEVICE.rdpd} in {@code -Dvhca.rdp.socket.dir},
 * else {@code VHCA_RDP_SOCKET_DIR}, else beside the status files, where only this user reaches it. In a directory that
 * is named all users reach it that reach the directory, and only the driver's user may write to it.
 */
final class AttachPath {
    static final String PROPERTY = "vhca.rdp.socket.dir";

    private static final String NAMING = "VHCA_RDP_SOCKET_DIR";
    private static final String SUFFIX = ".rdpd";
    private static final String FOR_OWNER = "rw-------";
    private static final String FOR_ALL = "rw-rw-rw-";

    private AttachPath() {}

    private static @Nullable Path named() {
        final String set = System.getProperty(PROPERTY, System.getenv(NAMING));
        return set == null || set.isBlank() ? null : Path.of(set);
    }

    /**
     * The socket of whoever is there, or nobody; who that is {@link #check} says.
     *
     * @throws IOException where others may write to the directory of this user's status files
     */
    static Path of(final String device) throws IOException {
        final Path directory = named();
        return (directory == null ? StatusFiles.prepareToRead() : directory).resolve(device + SUFFIX);
    }

    /**
     * The socket that a driver makes.
     *
     * @throws IOException where others may write to its directory, named or not: they could make it first
     */
    static Path ofDriver(final String device) throws IOException {
        final Path directory = named();
        final Path own = directory == null
                ? StatusFiles.prepare()
                : OwnDirectory.check(directory, "name another one by " + NAMING).path();
        return own.resolve(device + SUFFIX);
    }

    /**
     * Refuses who listens there where he is neither root, nor this user, nor whose the directory is.
     *
     * @param listener as the kernel says it
     */
    static void check(final Path socket, final UnixPeer listener) throws IOException {
        final Path directory = Objects.requireNonNull(socket.toAbsolutePath().getParent());
        final long owner = FileOwner.number(directory);
        if (listener.user() != owner && !ProcessUser.isRootOrOwn(listener.user())) {
            throw new IOException("what listens at " + socket + " is a process of user " + listener.user()
                    + ", and its directory belongs to user " + owner + "; find out whose it is, or name another"
                    + " directory by " + NAMING);
        }
    }

    /** Of a driver's socket: those reach it that may. */
    static Set<PosixFilePermission> mode() {
        return PosixFilePermissions.fromString(named() == null ? FOR_OWNER : FOR_ALL);
    }
}
