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
    private static final int LEFT_OUT = 4;

    private UnixSockets() {}

    /** Gives a socket the name that it is found by. */
    @FunctionalInterface
    private interface Naming {
        void name(Path made, Path at) throws IOException;
    }

    /**
     * Listens at a path, whatever stood there. A bound socket has the mode of the umask and may be connected to at
     * once: it is bound in a directory of this user alone, and moved to its place when it has its own mode.
     *
     * @param at   in a directory that others may not write to; its name has more than four letters
     * @param mode of the socket
     */
    public static void listen(
            final ServerSocketChannel channel, final Path at, final Set<PosixFilePermission> mode)
            throws IOException {
        listen(channel, at, 0, mode, (made, name) -> Files.move(made, name, StandardCopyOption.ATOMIC_MOVE));
    }

    /**
     * The same where nothing stands at the path: of two that do so at once one is told.
     *
     * @param backlog how many may wait to be accepted
     * @throws java.nio.file.FileAlreadyExistsException where something does
     */
    public static void listenFirst(
            final ServerSocketChannel channel, final Path at, final int backlog, final Set<PosixFilePermission> mode)
            throws IOException {
        listen(channel, at, backlog, mode, (made, name) -> Files.createLink(name, made));
    }

    private static void listen(
            final ServerSocketChannel channel, final Path at, final int backlog, final Set<PosixFilePermission> mode,
            final Naming naming)
            throws IOException {
        final String name = String.valueOf(at.getFileName());
        final Path room = at.resolveSibling("." + name.substring(0, name.length() - LEFT_OUT) + "~");
        final Path made = room.resolve("s");
        Files.deleteIfExists(made); // of a process of this number that was killed in the middle of this
        Files.deleteIfExists(room);
        Files.createDirectory(room, PosixFilePermissions.asFileAttribute(OWN_DIRECTORY));
        try {
            channel.bind(UnixDomainSocketAddress.of(made), backlog);
            Files.setPosixFilePermissions(made, mode);
            naming.name(made, at);
        } finally {
            Files.deleteIfExists(made);
            Files.deleteIfExists(room);
        }
    }
}
