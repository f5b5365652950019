package io.vhca.ras.status;

import io.vhca.api.FailureText;
import io.vhca.api.SocketDeadline;
import io.vhca.api.UnixSockets;
import io.vhca.ras.file.PrivateDirectory;
import java.io.IOException;
import java.lang.System.Logger;
import java.net.StandardProtocolFamily;
import java.nio.channels.Channel;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Where an operator's commands come in: a Unix domain socket that the bond's user may open, and its group where {@code
 * status_mode} says so. One line a
 * connection, {@code drain soft0}; one line back, {@code ok} or {@code error: } and the reason.
 *
 * <p>A virtual thread waits for connections, and each has one of its own: an unused socket costs nothing, and a client
 * that is slow keeps nobody waiting. A client must have said its line, and read the answer, within
 * {@link #PATIENCE}; of {@link #MAX_CLIENTS} the one goes that has been silent longest when another comes. Whatever a
 * command ends in, an Error too, is logged and told to who gave it. A socket that cannot be made is logged once; the
 * bond runs without.
 */
final class ControlSocket implements AutoCloseable {
    static final Duration PATIENCE = Duration.ofSeconds(5);
    static final int MAX_CLIENTS = 16;

    private static final Logger LOGGER = System.getLogger(ControlSocket.class.getName());

    private final UnaryOperator<String> commands;
    private final PrivateDirectory directory;
    private final Path name;
    private final Path path;
    private final Duration patience;
    private final @Nullable ServerSocketChannel server;
    /** Of the socket's file. */
    private @Nullable Object key;

    /** In the order in which they came. Its monitor guards them and what they have said. */
    private final Set<Client> clients = new LinkedHashSet<>();

    ControlSocket(
            final UnaryOperator<String> commands,
            final PrivateDirectory directory,
            final Path name,
            final Set<PosixFilePermission> mode,
            final Duration patience) {
        this.commands = commands;
        this.directory = directory;
        this.name = name;
        this.patience = patience;
        path = directory.path().resolve(name);
        server = bind(mode);
        if (server != null) {
            Thread.ofVirtual().name("vhca-control").start(() -> serve(server));
        }
    }

    /** By its path, as sockets are: the directory is nobody else's, so what is bound there is what gets the mode. */
    private @Nullable ServerSocketChannel bind(final Set<PosixFilePermission> mode) {
        ServerSocketChannel channel = null;
        try {
            channel = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
            key = UnixSockets.listen(channel, path, mode);
            return channel;
        } catch (final IOException e) {
            LOGGER.log(Logger.Level.WARNING, "no control socket at " + path + ": " + FailureText.of(e));
            close(channel);
            return null;
        }
    }

    void serve(final ServerSocketChannel channel) {
        final AcceptPause pause = new AcceptPause(path + ": nobody can give orders");
        while (channel.isOpen()) {
            try {
                admit(channel.accept());
                pause.over();
            } catch (final ClosedChannelException e) {
                return;
            } catch (final Throwable e) {
                // Throwable: out of descriptors or of memory, the next client may be better off.
                pause.await(e);
            }
        }
    }

    private void admit(final SocketChannel channel) {
        final Client client = new Client(channel);
        boolean isServed = false;
        try {
            if (hasRoom(client)) {
                Thread.ofVirtual().name("vhca-control-client").start(client);
                isServed = true;
            } else {
                client.say(ControlCommands.ERROR + MAX_CLIENTS + " commands are being carried out; try again");
            }
        } finally {
            if (!isServed) {
                client.end();
            }
        }
    }

    /** Counts a client in, instead of the one that has been silent longest where there are too many. */
    private boolean hasRoom(final Client client) {
        synchronized (clients) {
            if (clients.size() == MAX_CLIENTS) {
                final Client silent =
                        clients.stream().filter(one -> !one.hasSpoken).findFirst().orElse(null);
                if (silent == null) {
                    return false;
                }
                silent.end();
            }
            return clients.add(client);
        }
    }

    /** A connection; its virtual thread ends with it. */
    private final class Client implements Runnable {
        private final SocketChannel channel;
        private boolean hasSpoken;

        private Client(final SocketChannel channel) {
            this.channel = channel;
        }

        @Override
        public void run() {
            try {
                final String line = hear();
                synchronized (clients) {
                    hasSpoken = true;
                }
                say(line == null ? ControlCommands.ERROR + "no command" : execute(line));
            } catch (final ControlLine.TooLongException e) {
                say(ControlCommands.ERROR + "no command: " + e.getMessage());
            } catch (final IOException e) {
                LOGGER.log(Logger.Level.DEBUG, path + ": a client said nothing: " + e);
            } catch (final Throwable e) {
                LOGGER.log(Logger.Level.WARNING, path + ": a client was not served", e);
            } finally {
                end();
            }
        }

        private @Nullable String hear() throws IOException {
            try (SocketDeadline _ = new SocketDeadline(channel, patience)) {
                return ControlLine.read(channel, ControlLine.MAX_COMMAND_BYTES);
            }
        }

        private void say(final String answer) {
            try (SocketDeadline _ = new SocketDeadline(channel, patience)) {
                ControlLine.write(channel, answer);
            } catch (final IOException e) {
                LOGGER.log(Logger.Level.DEBUG, path + ": a client did not take its answer: " + e);
            }
        }

        private void end() {
            ControlSocket.close(channel);
            synchronized (clients) {
                clients.remove(this);
            }
        }
    }

    private String execute(final String line) {
        try {
            return commands.apply(line);
        } catch (final Throwable e) {
            // Throwable: an assertion that does not hold or memory that is not there ends this command alone.
            LOGGER.log(Logger.Level.WARNING, path + ": '" + line + "' failed", e);
            return ControlCommands.ERROR + "the bond failed at it: " + e;
        }
    }

    private static void close(final @Nullable Channel channel) {
        if (channel != null) {
            try {
                channel.close();
            } catch (final IOException e) {
                LOGGER.log(Logger.Level.DEBUG, "a control socket was not closed: " + e.getMessage());
            }
        }
    }

    /** Nobody finds it any more; a socket that has its name by now is another's. */
    void deleteFile() {
        StatusDirectory.delete(directory, name, key);
    }

    /** The file goes first: its key is another's as soon as nobody has this one. */
    @Override
    public void close() {
        deleteFile();
        close(server);
        final List<Client> left;
        synchronized (clients) {
            left = List.copyOf(clients);
        }
        left.forEach(Client::end);
    }
}
