package io.vhca.api;

import java.io.IOException;
import java.net.ConnectException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Unix domain sockets that not everybody may connect to. For providers. Any thread. */
public final class UnixSockets {
    private UnixSockets() {}

    /** Whether nobody listens at a socket any more; false also where that cannot be told. Does not wait. */
    public static boolean isDeserted(final Path socket) {
        try (SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX)) {
            channel.configureBlocking(false);
            channel.connect(UnixDomainSocketAddress.of(socket));
            return false;
        } catch (final ConnectException e) {
            return true;
        } catch (final IOException e) {
            return false;
        }
    }

    /** Gives a socket the name that it is found by. */
    @FunctionalInterface
    private interface Naming {
        void name(Path made, Path at) throws IOException;
    }

    /**
     * Listens at a path, whatever stood there. A bound socket has the mode of the umask and may be connected to at
     * once: it is bound in a directory of this user alone, and moved to its place when it has its own mode. What
     * processes that were killed meanwhile have left in that directory is deleted.
     *
     * @param at   in a directory that others may not write to; its name has ten letters or more, or its path is shorter
     *             than one may be by those that are missing
     * @param mode of the socket
     * @return what tells it from another one that has its place later
     */
    public static @Nullable Object listen(
            final ServerSocketChannel channel, final Path at, final Set<PosixFilePermission> mode)
            throws IOException {
        return listen(channel, at, 0, mode, (made, name) -> Files.move(made, name, StandardCopyOption.ATOMIC_MOVE));
    }

    /**
     * The same where nothing stands at the path: of two that do so at once one is told.
     *
     * @param backlog how many may wait to be accepted; 0 for what the JDK takes
     * @throws java.nio.file.FileAlreadyExistsException where something does
     */
    public static @Nullable Object listenFirst(
            final ServerSocketChannel channel, final Path at, final int backlog, final Set<PosixFilePermission> mode)
            throws IOException {
        return listen(channel, at, backlog, mode, (made, name) -> Files.createLink(name, made));
    }

    private static @Nullable Object listen(
            final ServerSocketChannel channel, final Path at, final int backlog, final Set<PosixFilePermission> mode,
            final Naming naming)
            throws IOException {
        SocketRooms.sweep(at);
        final Path room = SocketRooms.make(at);
        final Path made = SocketRooms.socket(room);
        try {
            channel.bind(UnixDomainSocketAddress.of(made), backlog);
            Files.setPosixFilePermissions(made, mode);
            final Object key = Files.readAttributes(made, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS)
                    .fileKey();
            naming.name(made, at);
            return key;
        } finally {
            SocketRooms.leave(room);
        }
    }
}
