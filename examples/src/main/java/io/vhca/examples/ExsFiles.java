package io.vhca.examples;

import io.vhca.api.Context;
import io.vhca.api.Errno;
import io.vhca.api.VerbsException;
import io.vhca.exs.Exs;
import io.vhca.exs.ExsByteChannel;
import io.vhca.exs.ExsChannel;
import io.vhca.exs.ExsChannels;
import io.vhca.exs.ExsOptions;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Locale;
import java.util.concurrent.ThreadLocalRandom;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * A file server over extended sockets. A client sends a name and shuts its direction down; the server answers with the
 * length, 8 bytes, -1 where it has no such file, and with the bytes. A connection a file, a thread a connection.
 */
@Command(
        name = "exs-files",
        mixinStandardHelpOptions = true,
        description = {
            "Serves the files of a directory over extended sockets, or gets one of them.",
            "",
            "Without HOST and --server both ends are in this process."
        })
public final class ExsFiles extends TwoEnds {
    private static final int PIECE = 1 << 20;
    private static final int MOST_NAME = 255;
    private static final int BACKLOG = 16;

    @Option(names = {"-s", "--server"}, description = "be the server, until it is ended")
    private boolean server;

    @Option(
            names = {"-p", "--port"},
            paramLabel = "PORT",
            defaultValue = "7473",
            description = "the server's port (default: ${DEFAULT-VALUE})")
    private int port = 7_473;

    @Option(names = "--dir", paramLabel = "DIR", defaultValue = ".", description = "whose files the server has")
    private Path dir = Path.of(".");

    @Option(names = {"-f", "--file"}, paramLabel = "NAME", defaultValue = "", description = "what the client asks for")
    private String name = "";

    @Option(names = "--into", paramLabel = "DIR", defaultValue = ".", description = "where the client puts it")
    private Path into = Path.of(".");

    /** Runs the program; exit code 0 when the file is there. */
    public static void main(final String[] args) {
        System.exit(execute(new ExsFiles(), args));
    }

    @Override
    boolean isServer() {
        return server;
    }

    @Override
    String wrong() {
        return !server && name.isEmpty() ? "name what to get with --file, or be the --server" : wrongPort(port);
    }

    @Override
    void serve(final Context context) throws Exception {
        try (Exs exs = Exs.init(Exs.VERSION, context, ExsOptions.DEFAULT);
                ExsChannels channels = new ExsChannels(exs);
                ExsChannels.Listener listener = listen(context, channels)) {
            out().println("serving the files of " + dir.toAbsolutePath() + " at " + listener.address());
            while (true) {
                final ExsChannel accepted = listener.accept().join();
                Thread.ofPlatform().name("exs-files").daemon().start(() -> answer(accepted));
            }
        }
    }

    @Override
    void client(final Context context, final String host) throws Exception {
        try (Exs exs = Exs.init(Exs.VERSION, context, ExsOptions.DEFAULT);
                ExsChannels channels = new ExsChannels(exs)) {
            get(channels, new InetSocketAddress(host, port));
        }
    }

    @Override
    void both(final Context context) throws Exception {
        try (Exs exs = Exs.init(Exs.VERSION, context, ExsOptions.DEFAULT);
                ExsChannels channels = new ExsChannels(exs);
                ExsChannels.Listener listener = listen(context, channels)) {
            together(
                    "exs-files-server", () -> answer(listener.accept().join()),
                    () -> get(channels, listener.address()));
        }
    }

    private ExsChannels.Listener listen(final Context context, final ExsChannels channels) {
        return channels.listen(new InetSocketAddress(context.ipGid(1).address(), port), BACKLOG);
    }

    /** What goes wrong with a client is its own: the others are served on. */
    private void answer(final ExsChannel accepted) {
        try (ExsByteChannel client = accepted.blocking()) {
            final ByteBuffer asked = ByteBuffer.allocate(MOST_NAME);
            while (client.read(asked) > 0) {
                // up to where the client shut down
            }
            send(client, StandardCharsets.UTF_8.decode(asked.flip()).toString());
        } catch (final IOException | RuntimeException e) {
            out().println("a client was not served: " + e.getMessage());
        }
    }

    private void send(final ExsByteChannel client, final String asked) throws IOException {
        final Path root = dir.toAbsolutePath().normalize();
        final Path file = root.resolve(asked).normalize();
        final ByteBuffer piece = ByteBuffer.allocateDirect(PIECE);
        if (!file.startsWith(root) || !Files.isRegularFile(file)) {
            client.write(piece.putLong(-1).flip());
            return;
        }
        try (FileChannel bytes = FileChannel.open(file)) {
            client.write(piece.putLong(bytes.size()).flip());
            while (bytes.read(piece.clear()) > 0) {
                client.write(piece.flip());
            }
        }
    }

    private void get(final ExsChannels channels, final InetSocketAddress address) throws IOException {
        try (ExsByteChannel connection = channels.connect(address).join().blocking()) {
            connection.write(StandardCharsets.UTF_8.encode(name));
            connection.shutdownOutput();
            final ByteBuffer piece = ByteBuffer.allocateDirect(PIECE).limit(Long.BYTES);
            while (piece.hasRemaining() && connection.read(piece) > 0) {
                // the length, whole
            }
            if (piece.hasRemaining() || piece.getLong(0) < 0) {
                throw new VerbsException("exs-files", Errno.ENOENT, name, "the server has no such file");
            }
            final Path file = into.resolve(String.valueOf(Path.of(name).getFileName()));
            final long length = piece.getLong(0);
            receive(connection, file, piece, length);
            out().printf(Locale.ROOT, "%s has %d bytes%n", file, length);
        }
    }

    /** All of it or nothing, under a name of its own until it is whole: what is there may be what the server sends. */
    private void receive(final ExsByteChannel from, final Path file, final ByteBuffer piece, final long length)
            throws IOException {
        final String unique = Long.toHexString(ThreadLocalRandom.current().nextLong());
        final Path part = file.resolveSibling(".exs-files-" + unique + ".part");
        try {
            final long written = write(from, part, piece);
            if (written != length) {
                throw new VerbsException(
                        "exs-files", Errno.EIO, name, "it ended after " + written + " of " + length + " bytes");
            }
            Files.move(part, file, StandardCopyOption.ATOMIC_MOVE);
        } finally {
            Files.deleteIfExists(part);
        }
    }

    private static long write(final ExsByteChannel from, final Path part, final ByteBuffer piece) throws IOException {
        long written = 0;
        try (FileChannel bytes =
                FileChannel.open(part, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
            while (from.read(piece.clear()) > 0) {
                piece.flip();
                while (piece.hasRemaining()) {
                    written += bytes.write(piece);
                }
            }
        }
        return written;
    }
}
