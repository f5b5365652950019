package io.vhca.ras.status;

import io.vhca.api.VerbsException;
import io.vhca.bond.BondAdmin;
import java.io.BufferedReader;
import java.io.IOException;
import java.lang.System.Logger;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.Channels;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Where an operator's commands come in: a Unix domain socket that the bond's user and group may open. One line a
 * connection, {@code drain soft0}; one line back, {@code ok} or {@code error: } and the reason.
 *
 * <p>A virtual thread waits for connections: an unused socket costs nothing. A socket that cannot be made is logged
 * once; the bond runs without.
 */
final class ControlSocket implements AutoCloseable {
    static final String OK = "ok";
    static final String ERROR = "error: ";

    private static final Logger LOGGER = System.getLogger(ControlSocket.class.getName());
    private static final int LONGEST_LINE = 256;
    private static final String COMMANDS = "set, add, remove, drain, resume and activate";

    private final BondAdmin admin;
    private final Path path;
    private final @Nullable ServerSocketChannel server;

    ControlSocket(final BondAdmin admin, final Path path) {
        this.admin = admin;
        this.path = path;
        server = bind(path);
        if (server != null) {
            Thread.ofVirtual().name("vhca-control").start(() -> serve(server));
        }
    }

    private static @Nullable ServerSocketChannel bind(final Path path) {
        ServerSocketChannel channel = null;
        try {
            Files.deleteIfExists(path);
            channel = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
            channel.bind(UnixDomainSocketAddress.of(path));
            Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rw-rw----"));
            return channel;
        } catch (final IOException e) {
            LOGGER.log(Logger.Level.WARNING, "no control socket at " + path + ": " + e.getMessage());
            close(channel);
            return null;
        }
    }

    private void serve(final ServerSocketChannel channel) {
        while (channel.isOpen()) {
            try (SocketChannel client = channel.accept()) {
                answer(client);
            } catch (final ClosedChannelException e) {
                return;
            } catch (final IOException e) {
                // That client is gone; the next may be better off.
                LOGGER.log(Logger.Level.DEBUG, path + ": " + e.getMessage());
            }
        }
    }

    private void answer(final SocketChannel client) throws IOException {
        final BufferedReader in =
                new BufferedReader(Channels.newReader(client, StandardCharsets.US_ASCII), LONGEST_LINE);
        final String line = in.readLine();
        final String answer = line == null || line.length() > LONGEST_LINE ? ERROR + "no command" : execute(line);
        client.write(StandardCharsets.UTF_8.encode(answer + "\n"));
    }

    /** Carries a command out; what {@link BondAdmin} refuses comes back as it says it. */
    String execute(final String line) {
        final String[] words = line.strip().split("\\s+");
        if (words.length < 2 || words.length > 2 && !words[0].equalsIgnoreCase("set")) {
            return ERROR + "'" + line.strip() + "' is no command; there are " + COMMANDS
                    + ", each with a device's name, and set with key=value";
        }
        try {
            switch (words[0].toLowerCase(Locale.ROOT)) {
                case "set" -> admin.set(List.of(words).subList(1, words.length));
                case "add" -> admin.add(words[1]);
                case "remove" -> admin.remove(words[1]);
                case "drain" -> admin.drain(words[1]);
                case "resume" -> admin.resume(words[1]);
                case "activate" -> admin.activate(words[1]);
                default -> {
                    return ERROR + "'" + words[0] + "' is no command; there are " + COMMANDS;
                }
            }
            return OK;
        } catch (final VerbsException e) {
            return ERROR + e.getMessage();
        }
    }

    private static void close(final @Nullable ServerSocketChannel channel) {
        if (channel != null) {
            try {
                channel.close();
            } catch (final IOException e) {
                LOGGER.log(Logger.Level.DEBUG, "a control socket was not closed: " + e.getMessage());
            }
        }
    }

    @Override
    public void close() {
        close(server);
        StatusDirectory.delete(path);
    }
}
