package io.vhca.api;

import java.io.IOException;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;

/** Unix domain sockets that not everybody may connect to. For providers. Any thread. */
public final class UnixSockets {
    private static final Set<PosixFilePermission> OWN_DIRECTORY = PosixFilePermissions.fromString("rwx------");
    /** What is left out of the name of the directory below, so that no path is longer than the socket's own. */
    private static final int LEFT_OUT = 3;

    private UnixSockets() {}

    /**
     * Listens at a path, whatever stood there. A bound socket has the mode of the umask and may be connected to at
     * once: it is bound in a directory of this user alone, and moved to its place when it has its own mode.
     *
     * @param at   in a directory that others may not write to; its name has more than three letters
     * @param mode of the socket
     */
    public static void listen(
            final ServerSocketChannel channel, final Path at, final Set<PosixFilePermission> mode)
            throws IOException {
        final String name = String.valueOf(at.getFileName());
        final Path room = at.resolveSibling("." + name.substring(0, name.length() - LEFT_OUT));
        final Path made = room.resolve("s");
        Files.deleteIfExists(made); // of a process of this number that was killed in the middle of this
        Files.deleteIfExists(room);
        Files.createDirectory(room, PosixFilePermissions.asFileAttribute(OWN_DIRECTORY));
        try {
            channel.bind(UnixDomainSocketAddress.of(made));
            Files.setPosixFilePermissions(made, mode);
            Files.move(made, at, StandardCopyOption.ATOMIC_MOVE);
        } finally {
            Files.deleteIfExists(made);
            Files.deleteIfExists(room);
        }
    }
}
