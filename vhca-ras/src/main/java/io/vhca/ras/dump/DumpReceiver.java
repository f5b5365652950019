package io.vhca.ras.dump;

import io.vhca.api.FailureText;
import io.vhca.api.SocketDeadline;
import io.vhca.ras.file.PrivateDirectory;
import io.vhca.ras.file.WholeFile;
import io.vhca.ras.file.WholeTransfer;
import io.vhca.ras.snapshot.DumpHeader;
import io.vhca.ras.snapshot.ReportFiles;
import io.vhca.ras.status.AcceptPause;
import io.vhca.ras.status.StatusDirectory;
import java.io.EOFException;
import java.io.IOException;
import java.lang.System.Logger;
import java.net.InetSocketAddress;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;

/**
 * Takes dumps of other machines into a directory of this user's, one after the other, and answers what it named them or
 * why it did not take them. Whoever reaches its port may send: so a dump has a bounded size, must come within
 * {@link #PATIENCE}, is nothing but a dump, and there are no more than a given number of them; what is there is never
 * replaced. The thread that calls {@link #serve}.
 */
public final class DumpReceiver implements AutoCloseable {
    /** For one dump, from the connect until it is whole: a sender may be stopped before its head as well as behind. */
    static final Duration PATIENCE = Duration.ofMinutes(2);

    private static final Logger LOGGER = System.getLogger(DumpReceiver.class.getName());
    private static final int BACKLOG = 8;
    private static final int CHUNK = 256 << 10;

    private final ServerSocketChannel server;
    private final PrivateDirectory directory;
    private final int most;
    private final Duration patience;

    /** Where a dump is not taken: the message is the answer. */
    private static final class RefusedException extends IOException {
        private static final long serialVersionUID = 1L;

        RefusedException(final String message) {
            super(message);
        }
    }

    /** @param most dumps that the directory may hold */
    public DumpReceiver(final InetSocketAddress at, final Path directory, final int most) throws IOException {
        this(at, directory, most, PATIENCE);
    }

    DumpReceiver(final InetSocketAddress at, final Path directory, final int most, final Duration patience)
            throws IOException {
        this.most = most;
        this.patience = patience;
        this.directory = PrivateDirectory.create(directory, PosixFilePermissions.fromString("rwx------"));
        server = ServerSocketChannel.open();
        try {
            sweep();
            server.bind(at, BACKLOG);
        } catch (final IOException | RuntimeException e) {
            close();
            throw e;
        }
    }

    /** Where it listens. */
    public InetSocketAddress address() throws IOException {
        return (InetSocketAddress) server.getLocalAddress();
    }

    /**
     * Takes dumps until it is closed.
     *
     * @param told each of them, and why one was not taken
     */
    public void serve(final Consumer<String> told) {
        serve(server, told);
    }

    void serve(final ServerSocketChannel at, final Consumer<String> told) {
        final AcceptPause pause = new AcceptPause("no dumps can be taken into " + directory.path());
        while (at.isOpen()) {
            try (SocketChannel client = at.accept()) {
                told.accept(take(client));
                pause.over();
            } catch (final ClosedChannelException e) {
                if (!at.isOpen()) {
                    return;
                }
            } catch (final IOException e) {
                pause.await(e);
            }
        }
    }

    private String take(final SocketChannel client) throws IOException {
        final Object from = client.getRemoteAddress();
        try (SocketDeadline deadline = new SocketDeadline(client, patience)) {
            final String answer = answer(client, deadline);
            try {
                WholeTransfer.write(
                        client, ByteBuffer.wrap(TransferDescriptor.line(answer, TransferDescriptor.ANSWER)));
            } catch (final IOException e) {
                LOGGER.log(Logger.Level.DEBUG, from + " did not take its answer: " + e);
            }
            return from + " " + answer;
        }
    }

    private String answer(final SocketChannel client, final SocketDeadline deadline) {
        try {
            return "ok " + receive(client, deadline);
        } catch (final IOException e) {
            return TransferDescriptor.ERROR + FailureText.of(e);
        }
    }

    /** What has come in time is answered, which no sender can hold up: the answer is all that it is sent. */
    private String receive(final SocketChannel client, final SocketDeadline deadline) throws IOException {
        final TransferDescriptor what =
                TransferDescriptor.parse(TransferDescriptor.readLine(client, TransferDescriptor.HEAD));
        if (what == null || !WholeFile.writer(what.name()).isEmpty()) {
            throw new RefusedException("it is no dump that is sent by vhca dump");
        }
        if (what.bytes() > TransferDescriptor.MOST_BYTES) {
            throw new RefusedException("a dump has " + TransferDescriptor.MOST_BYTES + " bytes at most");
        }
        final List<Path> there = directory.names();
        if (there.size() >= most) {
            throw new RefusedException(
                    "there are " + most + " files in " + directory.path() + " already; move them away");
        }
        final Path name = free(what.name(), there);
        WholeFile.write(directory, name, PosixFilePermissions.fromString("rw-------"), file -> {
            copy(client, file, what.bytes());
            final DumpHeader header = ReportFiles.header(file);
            if (header == null || header.fileBytes() != what.bytes()) {
                throw new RefusedException("it is no dump of a bond, or is cut short");
            }
            if (directory.names().contains(name)) {
                // Another receiver uses the directory.
                throw new FileAlreadyExistsException(name.toString());
            }
            if (!deadline.meet()) {
                throw new SocketTimeoutException("it did not come within " + patience.toSeconds() + " s");
            }
        });
        return directory.path().resolve(name).toString();
    }

    /** Deletes what receivers that were killed had begun. */
    private void sweep() throws IOException {
        for (final Path file : directory.names()) {
            final String writer = WholeFile.writer(StatusDirectory.name(file));
            if (!writer.isEmpty() && StatusDirectory.isGone(writer)) {
                directory.delete(file);
            }
        }
    }

    /** A name that no file has. */
    private Path free(final String wanted, final List<Path> there) throws IOException {
        for (int number = 1; number <= most; number++) {
            final Path name = Path.of(number == 1 ? wanted : wanted + "." + number);
            if (!there.contains(name)) {
                return name;
            }
        }
        throw new FileAlreadyExistsException(wanted);
    }

    private static void copy(final SocketChannel from, final FileChannel to, final long bytes) throws IOException {
        final ByteBuffer chunk = ByteBuffer.allocate(CHUNK);
        for (long left = bytes; left > 0; ) {
            chunk.clear().limit((int) Math.min(CHUNK, left));
            final int got = from.read(chunk);
            if (got < 0) {
                throw new EOFException("the sender is gone: " + left + " bytes are missing");
            }
            left -= got;
            WholeTransfer.write(to, chunk.flip());
        }
    }

    @Override
    public void close() throws IOException {
        server.close();
        directory.close();
    }
}
