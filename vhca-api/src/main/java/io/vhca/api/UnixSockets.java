package io.vhca.api;

import java.io.IOException;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;

/** Unix domain sockets that not everybody may connect to. For providers. Any thread. */
public final class UnixSockets {
    private static final Set<PosixFilePermission> OWN_DIRECTORY = PosixFilePermissions.fromString("rwx------");
    /** Four letters, with the point before them. */
    private static final int ROOMS = 36 * 36 * 36;

    private static final int ROOM_LETTERS = 4;
    /** Of the name in a room, with what is between. */
    private static final int MADE_LETTERS = 2;

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
     * @param at   in a directory that others may not write to; its name has six letters or more
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
        final Path room = room(at);
        final Path made = room.resolve("s");
        try {
            channel.bind(UnixDomainSocketAddress.of(made), backlog);
            Files.setPosixFilePermissions(made, mode);
            naming.name(made, at);
        } finally {
            Files.deleteIfExists(made);
            Files.deleteIfExists(room);
        }
    }

    /** A directory that nobody else has. A path in it is as long as the socket's own: there is a limit for both. */
    private static Path room(final Path at) throws IOException {
        final int letters = String.valueOf(at.getFileName()).length();
        final String more = "~".repeat(Math.max(0, letters - ROOM_LETTERS - MADE_LETTERS));
        while (true) {
            final int number = ROOMS + ThreadLocalRandom.current().nextInt(ROOMS);
            final String name = Integer.toString(number, Character.MAX_RADIX);
            final Path room = at.resolveSibling("." + name.substring(1) + more);
            try {
                return Files.createDirectory(room, PosixFilePermissions.asFileAttribute(OWN_DIRECTORY));
            } catch (final FileAlreadyExistsException e) {
                // Another one listens at this moment, or was killed when it did.
                assert Files.exists(at.toAbsolutePath().getParent()) : e;
            }
        }
    }
}
