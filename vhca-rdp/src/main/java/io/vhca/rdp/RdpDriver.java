package io.vhca.rdp;

import io.vhca.api.Context;
import io.vhca.api.Errno;
import io.vhca.api.Uninterrupted;
import io.vhca.api.VerbsException;
import io.vhca.rdp.access.AccessControl;
import io.vhca.rdp.common.RdpConfig;
import io.vhca.rdp.common.RdpCounters;
import io.vhca.rdp.engine.RdpEngine;
import io.vhca.rdp.status.DriverStatus;
import io.vhca.rdp.verbs.RdpNode;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * The driver of reliable datagram sockets of this process over one open device. All sockets share its connections: one
 * a size class and node.
 *
 * <p>Any thread. Threads that send, receive or poll let the driver work; beside them one thread of its own,
 * {@code vhca-rdp-NAME}, does what is due while nobody else is there, writes the status file, and sleeps when there is
 * nothing.
 */
public final class RdpDriver implements RdpSockets {
    private final RdpNode node;
    private final RdpEngine engine;
    private final DriverTurns turns;
    private final String name;
    private final SocketTable sockets;
    private volatile boolean hasThread;
    private Thread thread = Thread.currentThread();

    private RdpDriver(
            final Context context, final RdpConfig config, final SplittableRandom random, final long nowNs,
            final SocketTable sockets) {
        this.sockets = sockets;
        name = context.device().name();
        node = new RdpNode(context, config, random, nowNs);
        engine = node.engine();
        turns = new DriverTurns(node);
    }

    /** A driver with the default configuration; the device stays the caller's. */
    public static RdpDriver open(final Context context) {
        return open(context, RdpConfig.DEFAULT);
    }

    /**
     * A driver with a thread of its own.
     *
     * @throws VerbsException EADDRINUSE where another driver of this host has the device's address and port
     */
    public static RdpDriver open(final Context context, final RdpConfig config) {
        return open(context, config, AccessControl.ofThisHost());
    }

    /** As {@link #open(Context, RdpConfig)}, with another judge of who may have sockets. */
    public static RdpDriver open(final Context context, final RdpConfig config, final AccessControl access) {
        return open(context, config, access, Thread::start);
    }

    /** The same with something that starts its thread, for a test of what becomes of it where that fails. */
    static RdpDriver open(
            final Context context, final RdpConfig config, final AccessControl access,
            final Consumer<Thread> starter) {
        final RdpDriver driver = new RdpDriver(
                context, config, new SplittableRandom(), System.nanoTime(), new SocketTable(access));
        boolean isDone = false;
        try {
            driver.start(starter);
            isDone = true;
            return driver;
        } finally {
            if (!isDone) {
                driver.close();
            }
        }
    }

    private void start(final Consumer<Thread> starter) {
        final DriverThread job = new DriverThread(this);
        thread = Thread.ofPlatform().name("vhca-rdp-" + name).daemon().unstarted(job);
        turns.own(thread);
        boolean isStarted = false;
        try {
            starter.accept(thread);
            isStarted = true;
            hasThread = true;
        } finally {
            if (!isStarted) {
                job.close();
            }
        }
    }

    /** A driver without a thread: the caller gives it its turns, by {@link #doWork}. Its calls do not block. */
    public static RdpDriver driven(
            final Context context, final RdpConfig config, final SplittableRandom random, final long nowNs) {
        return new RdpDriver(context, config, random, nowNs, new SocketTable(AccessControl.NONE));
    }

    @Override
    public InetAddress address() {
        return engine.address();
    }

    /** The options that hold now. */
    public RdpConfig config() {
        return inside(RdpEngine::config);
    }

    /** What SO_RCVBUF of one socket may be where it is to leave others their part of the receive memory. */
    public int mostBufferBytes(final int parts) {
        final RdpConfig now = config();
        return Math.clamp(now.maxRecvMemory() / parts, now.userBufferSize(), Integer.MAX_VALUE);
    }

    /**
     * Changes an option while the driver is open; what was sent and received before is as it was.
     *
     * @param assignment NAME=VALUE
     * @throws IllegalArgumentException says what is wrong, or why that option does not change
     * @throws VerbsException           EINVAL where it is closed
     */
    public void change(final String assignment) {
        inside(inner -> {
            turns.checkOpen("change", name);
            inner.change(inner.config().with(assignment));
            return assignment;
        });
    }

    public RdpCounters counters() {
        return engine.counters();
    }

    @Override
    public RdpSocket bind(final int port) {
        return sockets.bind(this, port);
    }

    /** For who lets other processes use this driver. */
    public SocketTable sockets() {
        return sockets;
    }

    @Override
    public RdpPoller poller() {
        return sockets.poller(this);
    }

    /** Does something with the engine while no other thread does; it must not wait, nor keep what it is given. */
    public <T> T inside(final Function<RdpEngine, T> what) {
        return turns.inside(what);
    }

    void enter() {
        turns.enter();
    }

    void leave() {
        turns.leave();
    }

    /** To be used between {@link #enter} and {@link #leave}. */
    RdpEngine engine() {
        return engine;
    }

    DriverTurns turns() {
        return turns;
    }

    /** The device. */
    public String name() {
        return name;
    }

    @Override
    public void waits() {
        turns.waits();
    }

    @Override
    public void forget(final MemorySegment memory) {
        final boolean isForgotten = inside(inner -> inner.forget(memory.address(), memory.byteSize()));
        if (!isForgotten) {
            throw new VerbsException(
                    "forget", Errno.EBUSY, name,
                    "a datagram is being sent from that memory, or may come into it; wait for its completion");
        }
    }

    @Override
    public int doWork(final long nowNs) {
        return turns.help(nowNs);
    }

    /** When the next turn is due at the latest. */
    public long nextDeadlineNs() {
        return inside(RdpEngine::nextDeadlineNs);
    }

    /** What this driver is now, as its status file says it. */
    public DriverStatus status() {
        return inside(inner -> DriverStatus.of(name, inner, sockets.clients()));
    }

    /** Buffers that nobody has: none, unless one was lost. For tests. */
    public int missingBuffers() {
        return inside(RdpEngine::missingBuffers);
    }

    /**
     * Closes all sockets and ends all connections; the device stays open. Idempotent: who comes second waits. What the
     * device did not take back is tried again by closing it again.
     */
    @Override
    public synchronized void close() {
        try {
            // Inside, to the last session: whoever comes in afterwards finds it as it stays.
            inside(inner -> {
                if (!turns.isClosed()) {
                    turns.close();
                }
                sockets.close();
                inner.close();
                return inner;
            });
        } finally {
            if (hasThread) {
                hasThread = false;
                Uninterrupted.await(thread::join);
            }
            inside(inner -> {
                node.close();
                return inner;
            });
        }
    }
}
