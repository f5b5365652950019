package io.vhca.rdp.shared;

import io.vhca.api.Errno;
import io.vhca.api.FailureText;
import io.vhca.api.Uninterrupted;
import io.vhca.api.UnixSockets;
import io.vhca.api.VerbsException;
import io.vhca.rdp.RdpDriver;
import io.vhca.rdp.status.StatusFiles;
import io.vhca.rdp.unix.UnixConnector;
import io.vhca.rdp.unix.UnixPeer;
import java.io.IOException;
import java.lang.System.Logger;
import java.net.ConnectException;
import java.net.StandardProtocolFamily;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Lets other processes of this host use a driver: they attach by a Unix domain socket, and call by shared memory. Its
 * thread, {@code vhca-rdp-shared-NAME}, does what they call for, lets the driver work meanwhile as any thread does that
 * uses it, and sleeps when there is nothing.
 */
public final class SharedServer implements AutoCloseable {
    private static final Logger LOGGER = System.getLogger(SharedServer.class.getName());

    private final RdpDriver driver;
    private final Path path;
    private final ServerSocketChannel listener;
    private final ServerTurns turns;
    private final Thread thread;
    private final Runnable atEnd;
    private final CountDownLatch over = new CountDownLatch(1);
    private volatile boolean isClosed;
    private volatile boolean hasFailed;

    private SharedServer(
            final RdpDriver driver, final Path path, final ServerSocketChannel listener, final SelectionKey key,
            final Runnable atEnd) {
        this.atEnd = atEnd;
        this.driver = driver;
        this.path = path;
        this.listener = listener;
        turns = new ServerTurns(driver, listener::accept, key);
        thread = Thread.ofPlatform().name("vhca-rdp-shared-" + driver.name()).daemon().unstarted(this::run);
    }

    /**
     * Begins to listen for clients of that driver, which stays the caller's.
     *
     * @throws VerbsException EADDRINUSE where another one of that device does, EIO where nobody can
     */
    public static SharedServer open(final RdpDriver driver) {
        return open(driver, () -> {});
    }

    /**
     * The same with something to do where its thread ends though nobody has closed it: {@link #checkServing} says so
     * then. That thread does it, which may close the server, or end the process.
     */
    public static SharedServer open(final RdpDriver driver, final Runnable atEnd) {
        return open(driver, atEnd, Thread::start);
    }

    /** The same with something that starts its thread, for a test of what becomes of it where that fails. */
    static SharedServer open(final RdpDriver driver, final Runnable atEnd, final Consumer<Thread> starter) {
        ServerSocketChannel listener = null;
        Selector selector = null;
        Path bound = null;
        boolean isDone = false;
        try {
            final Path path = AttachPath.ofDriver(driver.name());
            checkFree(driver, path);
            // Who asks first is not to wait for that.
            UnixPeer.prepare();
            listener = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
            // All clients of a driver that has ended come at once.
            UnixSockets.listenFirst(listener, path, AttachDesk.MOST_CLIENTS, AttachPath.mode());
            bound = path;
            listener.configureBlocking(false);
            selector = Selector.open();
            final SelectionKey key = listener.register(selector, SelectionKey.OP_ACCEPT);
            final SharedServer server = new SharedServer(driver, path, listener, key, atEnd);
            starter.accept(server.thread);
            driver.sockets().clients(server.turns::clients);
            isDone = true;
            return server;
        } catch (final FileAlreadyExistsException e) {
            throw inUse(driver, Path.of(e.getFile()), e);
        } catch (final IOException | UnsupportedOperationException e) {
            throw new VerbsException(
                    "listen", Errno.EIO, "driver of " + driver.name(),
                    "no client can attach: " + FailureText.of(e) + "; -D" + AttachPath.PROPERTY
                            + " names another directory for its socket",
                    e);
        } finally {
            if (!isDone) {
                closeQuietly(listener, selector);
                if (bound != null) {
                    StatusFiles.delete(bound);
                }
            }
        }
    }

    /** What a driver that was killed has left is deleted; where one listens there is room for no other. */
    private static void checkFree(final RdpDriver driver, final Path path) throws IOException {
        // None where its queue is full, as of one whose process is stopped.
        try (SocketChannel _ = UnixConnector.connect(path)) {
            throw inUse(driver, path, null);
        } catch (final ConnectException e) {
            // Nobody listens there.
            Files.deleteIfExists(path);
        } catch (final IOException e) {
            if (Files.exists(path, LinkOption.NOFOLLOW_LINKS)) {
                // A driver that lives may, whom this process could not ask.
                throw new IOException("whether a driver listens at " + path + " cannot be told: " + e.getMessage(), e);
            }
        }
    }

    private static VerbsException inUse(
            final RdpDriver driver, final Path path, final @Nullable Throwable cause) {
        return new VerbsException(
                "listen", Errno.EADDRINUSE, "driver of " + driver.name(),
                "another shared driver listens at " + path + "; attach to that one", cause);
    }

    private static void closeQuietly(final @Nullable AutoCloseable... all) {
        for (final @Nullable AutoCloseable one : all) {
            try {
                if (one != null) {
                    one.close();
                }
            } catch (final Exception e) {
                LOGGER.log(Logger.Level.DEBUG, "closing a shared driver's socket: " + e.getMessage());
            }
        }
    }

    /** Where clients attach. */
    public Path path() {
        return path;
    }

    /**
     * Whether it still serves.
     *
     * @throws VerbsException EIO where its thread has ended, and with it all clients; its log says why
     */
    public void checkServing() {
        if (hasFailed) {
            throw new VerbsException(
                    "serve", Errno.EIO, "driver of " + driver.name(),
                    "it has ended, and nobody is served any more; the log says why. Start it again");
        }
    }

    private void run() {
        try {
            while (!isClosed) {
                turns.turn(System.nanoTime());
            }
        } catch (final IOException e) {
            LOGGER.log(Logger.Level.ERROR, "the shared driver of " + driver.name() + " ends: " + e.getMessage());
        } finally {
            end();
        }
    }

    private void end() {
        try {
            turns.close();
        } finally {
            hasFailed = !isClosed;
            over.countDown();
            if (hasFailed) {
                atEnd.run();
            }
        }
    }

    /**
     * Ends all clients, which hear of it, and listens no longer; the driver stays open. Returns when its thread has
     * ended, but where that ended before, and may be who closes, or who ends the process. Idempotent.
     */
    @Override
    public void close() {
        if (isClosed) {
            return;
        }
        isClosed = true;
        turns.wake();
        Uninterrupted.await(over::await);
        if (!hasFailed) {
            Uninterrupted.await(thread::join);
        }
        driver.sockets().clients(List::of);
        closeQuietly(listener);
        StatusFiles.delete(path);
    }
}
