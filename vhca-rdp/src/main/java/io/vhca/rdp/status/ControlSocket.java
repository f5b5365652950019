package io.vhca.rdp.status;

import io.vhca.api.FailureText;
import io.vhca.api.ProcessEnd;
import io.vhca.api.SocketDeadline;
import io.vhca.api.UnixSockets;
import io.vhca.rdp.unix.UnixConnector;
import java.io.IOException;
import java.lang.System.Logger;
import java.net.ConnectException;
import java.net.SocketTimeoutException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import org.agrona.CloseHelper;
import org.jspecify.annotations.Nullable;

/**
 * Where a driver is told to change: a Unix domain socket beside its status file, {@code DEVICE.PID.rdpctl}, which only
 * this user reaches. A line asks, a line answers. The driver's own thread, which nobody who is slow keeps waiting.
 */
public final class ControlSocket implements AutoCloseable {
    private static final Logger LOGGER = System.getLogger(ControlSocket.class.getName());
    static final String SUFFIX = ".rdpctl";
    private static final long INTERVAL_NS = TimeUnit.MILLISECONDS.toNanos(20);
    private static final long PATIENCE_NS = TimeUnit.SECONDS.toNanos(1);
    private static final int MOST_CALLERS = 4;
    private static final int LONGEST_LINE = 1_024;
    private static final Set<PosixFilePermission> OWN_SOCKET = PosixFilePermissions.fromString("rw-------");

    private final UnaryOperator<String> answers;
    private Path file;
    private final List<Caller> callers = new ArrayList<>();
    private final @Nullable ServerSocketChannel server;
    /** Of the file. */
    private @Nullable Object key;
    /** A process that ends without closing its driver leaves no socket. */
    private @Nullable ProcessEnd end;

    private long lastNs;

    /** Somebody who asks. */
    private record Caller(SocketChannel channel, ByteBuffer line, long sinceNs) {}

    /**
     * Listens; a driver works where it cannot.
     *
     * @param answers the answer to a line
     */
    public ControlSocket(final String device, final UnaryOperator<String> answers, final long nowNs) {
        this.answers = answers;
        final String name = name(device, ProcessHandle.current().pid());
        file = StatusFiles.directory().resolve(name);
        lastNs = nowNs;
        server = listen(name);
    }

    static Path file(final String device, final long pid) {
        return StatusFiles.directory().resolve(name(device, pid));
    }

    private static String name(final String device, final long pid) {
        return device + "." + pid + SUFFIX;
    }

    private @Nullable ServerSocketChannel listen(final String name) {
        ServerSocketChannel channel = null;
        try {
            file = StatusFiles.prepare().resolve(name);
            checkFree();
            channel = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
            channel.configureBlocking(false);
            key = UnixSockets.listenFirst(channel, file, 0, OWN_SOCKET);
            end = ProcessEnd.register(ProcessEnd.Layer.FILES, () -> StatusFiles.delete(file, key));
            return channel;
        } catch (final IOException | UnsupportedOperationException e) {
            LOGGER.log(Logger.Level.WARNING, "a driver cannot be told to change, " + file + ": " + FailureText.of(e));
            CloseHelper.quietClose(channel);
            return null;
        }
    }

    /** What a driver that was killed has left is deleted; one that listens, in another container, is not taken over. */
    private void checkFree() throws IOException {
        final Object left = StatusFiles.key(file);
        if (left == null) {
            return;
        }
        try {
            CloseHelper.quietClose(UnixConnector.connect(file));
        } catch (final ConnectException e) {
            StatusFiles.delete(file, left);
            return;
        }
        throw new IOException("another driver of that device listens there, of this process or of one in another"
                + " container with the same number; name another directory by VHCA_STATUS_DIR, or start containers with"
                + " --pid=host");
    }

    /** Answers who asks; now and then, however often it is called. */
    public void doWork(final long nowNs) {
        if (server == null || nowNs - lastNs < INTERVAL_NS) {
            return;
        }
        lastNs = nowNs;
        try {
            final SocketChannel called = callers.size() < MOST_CALLERS ? server.accept() : null;
            if (called != null) {
                admit(called, nowNs);
            }
        } catch (final IOException e) {
            LOGGER.log(Logger.Level.DEBUG, file + ": " + e.getMessage());
        }
        callers.removeIf(caller -> isOver(caller, nowNs));
    }

    /** Somebody asks; he is closed where that cannot be. */
    void admit(final SocketChannel called, final long nowNs) {
        try {
            called.configureBlocking(false);
            callers.add(new Caller(called, ByteBuffer.allocate(LONGEST_LINE), nowNs));
        } catch (final IOException e) {
            LOGGER.log(Logger.Level.DEBUG, file + ": " + e.getMessage());
            CloseHelper.quietClose(called);
        }
    }

    private boolean isOver(final Caller caller, final long nowNs) {
        boolean isOver = nowNs - caller.sinceNs > PATIENCE_NS;
        try {
            final int bytes = caller.channel.read(caller.line);
            final String line = StandardCharsets.UTF_8.decode(caller.line.duplicate().flip()).toString();
            final int end = line.indexOf('\n');
            if (end >= 0) {
                final String answer = answers.apply(line.substring(0, end)) + "\n";
                // What does not fit into the socket's buffer is the caller's loss.
                caller.channel.write(StandardCharsets.UTF_8.encode(answer));
            }
            isOver |= end >= 0 || bytes < 0 || !caller.line.hasRemaining();
        } catch (final IOException e) {
            LOGGER.log(Logger.Level.DEBUG, file + ": " + e.getMessage());
            isOver = true;
        }
        if (isOver) {
            CloseHelper.quietClose(caller.channel);
        }
        return isOver;
    }

    /**
     * Asks the driver of another process, or this one.
     *
     * @param limit how long it may take to answer
     * @throws SocketTimeoutException where it does not answer in time; whether it does what was asked is not known then
     * @throws IOException            where it cannot be reached, or does not answer
     */
    public static String ask(final String device, final long pid, final String line, final Duration limit)
            throws IOException {
        final Path at = file(device, pid);
        try (SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX);
                SocketDeadline deadline = new SocketDeadline(channel, limit)) {
            try {
                return ask(channel, at, line);
            } catch (final ClosedChannelException e) {
                final SocketTimeoutException late = new SocketTimeoutException(
                        "the driver at " + at + " does not answer within " + limit.toSeconds()
                                + " s; its process may be stopped or busy, and may still do it");
                late.initCause(e);
                throw deadline.hasPassed() ? late : e;
            }
        }
    }

    private static String ask(final SocketChannel channel, final Path at, final String line) throws IOException {
        channel.connect(UnixDomainSocketAddress.of(at));
        channel.write(StandardCharsets.UTF_8.encode(line + "\n"));
        final String answer =
                new String(Channels.newInputStream(channel).readAllBytes(), StandardCharsets.UTF_8).strip();
        if (answer.isEmpty()) {
            throw new IOException("the driver at " + at + " does not answer");
        }
        return answer;
    }

    /** Ends what was asked, and deletes the socket. */
    @Override
    public void close() {
        try {
            for (final Caller caller : callers) {
                CloseHelper.quietClose(caller.channel);
            }
            if (end != null) {
                end.close();
            }
            if (server != null) {
                StatusFiles.delete(file, key); // first: its key is another's as soon as nobody has this one
                server.close();
            }
        } catch (final IOException e) {
            LOGGER.log(Logger.Level.DEBUG, file + " was not closed: " + e.getMessage());
        }
    }
}
