package io.vhca.exs;

import io.vhca.api.Context;
import io.vhca.api.Devices;
import io.vhca.api.Errno;
import io.vhca.api.VerbsException;
import io.vhca.exs.engine.PortTap;
import java.lang.foreign.MemorySegment;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Extended sockets over a device: what the Open Group's Extended Sockets API is in C, in the form of Java. Sockets send
 * and receive asynchronously; each call takes an {@link ExsQueue} and a cookie and ends in one event there. Memory
 * that is registered once is not copied.
 *
 * <pre>
 *   try (Exs exs = Exs.init(Exs.VERSION, "bond0")) {
 *       ExsQueue queue = exs.qcreate(16);
 *       ExsSocket socket = exs.socket(SocketType.STREAM);
 *       socket.connect(peer, queue, null);
 *       ...
 * </pre>
 *
 * <p>Any thread. What moves the data is a thread of this object's own, or whoever dequeues events ({@link ExsOptions}).
 */
public final class Exs implements AutoCloseable {
    /** The version of this interface. */
    public static final int VERSION = 1;

    private final Driver driver;
    private final ExsOptions options;
    private final @Nullable Context ownContext;
    private final @Nullable ExsThread thread;
    private boolean isClosed;

    private Exs(
            final Context context, final boolean isOwn, final ExsOptions options, final PortTap tap,
            final LongSupplier clock, final Consumer<Thread> starter) {
        this.options = options.checked("init", context.device().name());
        driver = new Driver(context, options.hasThread(), tap, clock);
        ownContext = isOwn ? context : null;
        boolean isDone = false;
        try {
            thread = options.hasThread() ? new ExsThread(driver, starter) : null;
            isDone = true;
        } finally {
            if (!isDone) {
                driver.close();
            }
        }
    }

    /** Opens a device for sockets with default options ({@code exs_init}). */
    public static Exs init(final int version, final String device) {
        return init(version, device, ExsOptions.DEFAULT);
    }

    /**
     * Opens a device for sockets ({@code exs_init}).
     *
     * @param version the {@link #VERSION} that the program was written for
     * @throws VerbsException EPROTONOSUPPORT for a version that is not spoken here, ENODEV where there is no such
     *     device
     */
    public static Exs init(final int version, final String device, final ExsOptions options) {
        checkVersion(version, device);
        options.checked("init", device);
        return own(Devices.open(device), options);
    }

    /** The same over a context that is its own from now on, and is closed where nothing comes of it. */
    static Exs own(final Context context, final ExsOptions options) {
        boolean isDone = false;
        try {
            final Exs exs = new Exs(context, true, options, PortTap.NONE, System::nanoTime, Thread::start);
            isDone = true;
            return exs;
        } finally {
            if (!isDone) {
                context.close();
            }
        }
    }

    /** Sockets on a device that is open; it stays open. */
    public static Exs init(final int version, final Context context, final ExsOptions options) {
        return init(version, context, options, PortTap.NONE, System::nanoTime);
    }

    /**
     * The same for simulations: with a clock of their own, and something between sockets and queue pairs that shows
     * what a defect there would bring about.
     */
    public static Exs init(
            final int version, final Context context, final ExsOptions options, final PortTap tap,
            final LongSupplier clock) {
        checkVersion(version, context.device().name());
        return new Exs(context, false, options, tap, clock, Thread::start);
    }

    /** The same with something that starts its thread, for a test of what becomes of it where that fails. */
    static Exs init(final Context context, final ExsOptions options, final Consumer<Thread> starter) {
        return new Exs(context, false, options, PortTap.NONE, System::nanoTime, starter);
    }

    private static void checkVersion(final int version, final String device) {
        if (version != VERSION) {
            throw new VerbsException(
                    "init", Errno.EPROTONOSUPPORT, device, "version " + version + " is asked for, there is " + VERSION);
        }
    }

    /**
     * A socket that is neither bound nor connected ({@code exs_socket}).
     *
     * @throws VerbsException EINVAL once its sockets are being closed by {@link #close}
     */
    public ExsSocket socket(final SocketType type) {
        return new ExsSocket(driver, type, options);
    }

    /**
     * An event queue ({@code exs_qcreate}).
     *
     * @param depth events that nobody took and calls that are not complete, together
     * @throws VerbsException EINVAL for no such depth, and as {@link #socket}
     */
    public ExsQueue qcreate(final int depth) {
        ExsQueue.checkDepth("qcreate", depth);
        driver.lock();
        try {
            driver.requireOpen("qcreate");
            return new ExsQueue(driver, depth);
        } finally {
            driver.unlock();
        }
    }

    /**
     * Registers memory ({@code exs_mregister}). The caller keeps it alive until it is deregistered.
     *
     * @param memory native; read-only memory can be sent and not received into
     * @throws VerbsException EINVAL for other memory, and as {@link #socket}; what {@code ibv_reg_mr} fails with
     */
    public ExsMemory mregister(final MemorySegment memory) {
        return driver.mregister(memory);
    }

    /**
     * Gives the sockets a turn: for who drives them and has no queue to wait at.
     *
     * @return how much there was to do
     */
    public int doWork(final long nowNs) {
        return driver.doWork(nowNs);
    }

    /** Sockets that are open, or closed and still sending. */
    public int openSockets() {
        return driver.openSockets();
    }

    /**
     * Closes every socket as {@link ExsSocket#close} does, waits until they are done, deregisters, closes the device.
     * Idempotent; who calls it while another thread does returns with that one.
     *
     * @throws VerbsException EBUSY where the device cannot be closed yet: all else is, call it again
     */
    @Override
    public synchronized void close() {
        if (!isClosed) {
            isClosed = true;
            if (thread != null) {
                thread.close();
            }
            driver.close();
        }
        if (ownContext != null) {
            ownContext.close();
        }
    }
}
