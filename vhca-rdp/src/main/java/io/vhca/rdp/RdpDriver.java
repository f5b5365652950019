package io.vhca.rdp;

import io.vhca.api.Context;
import io.vhca.api.Device;
import io.vhca.api.Devices;
import io.vhca.api.Errno;
import io.vhca.api.VerbsException;
import io.vhca.rdp.common.RdpConfig;
import io.vhca.rdp.common.RdpConfigParser;
import io.vhca.rdp.common.RdpCounters;
import io.vhca.rdp.engine.RdpEngine;
import io.vhca.rdp.status.DriverStatus;
import io.vhca.rdp.status.NodeStatus;
import io.vhca.rdp.status.SocketStatus;
import io.vhca.rdp.verbs.RdpNode;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Function;

/**
 * The driver of reliable datagram sockets of this process over one open device. All sockets share its connections: one
 * a size class and node.
 *
 * <p>Any thread. Threads that send, receive or poll let the driver work; beside them one thread of its own,
 * {@code vhca-rdp-NAME}, does what is due while nobody else is there, writes the status file, and sleeps when there is
 * nothing.
 */
public final class RdpDriver implements AutoCloseable {
    private final DriverGate gate = new DriverGate();
    private final RdpNode node;
    private final RdpEngine engine;
    private final String name;
    private final List<RdpSocket> sockets = new ArrayList<>();
    private volatile boolean isClosed;
    private volatile boolean hasThread;
    private Thread thread = Thread.currentThread();

    private RdpDriver(
            final Context context, final RdpConfig config, final SplittableRandom random, final long nowNs) {
        name = context.device().name();
        node = new RdpNode(context, config, random, nowNs);
        engine = node.engine();
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
        final RdpDriver driver = driven(context, config, new SplittableRandom(), System.nanoTime());
        driver.thread = Thread.ofPlatform()
                .name("vhca-rdp-" + driver.name)
                .daemon()
                .unstarted(new DriverThread(driver, driver.node));
        driver.hasThread = true;
        driver.thread.start();
        return driver;
    }

    /** A driver without a thread: the caller gives it its turns, by {@link #doWork}. Its calls do not block. */
    public static RdpDriver driven(
            final Context context, final RdpConfig config, final SplittableRandom random, final long nowNs) {
        return new RdpDriver(context, config, random, nowNs);
    }

    /** The devices of this host that a driver can be opened on, each with the address that its sockets have. */
    public static List<RdpInterface> interfaces() {
        final List<RdpInterface> usable = new ArrayList<>();
        for (final Device device : Devices.list()) {
            try (Context context = device.open()) {
                usable.add(new RdpInterface(device.name(), context.ipGid(1).address()));
            } catch (final VerbsException e) {
                // A device that cannot be opened is none that sockets can use: SIOCGIFCONF leaves such out.
                assert e.errno() > 0;
            }
        }
        return usable;
    }

    /** The address of this node, which all sockets of this driver are bound to. */
    public InetAddress address() {
        return engine.address();
    }

    /** The options that hold now. */
    public RdpConfig config() {
        return inside(RdpEngine::config);
    }

    /**
     * Changes an option while the driver is open; what was sent and received before is as it was.
     *
     * @param assignment NAME=VALUE
     * @throws IllegalArgumentException says what is wrong, or why that option does not change
     */
    public void change(final String assignment) {
        inside(inner -> {
            final RdpConfig next = RdpConfigParser.change(inner.config(), assignment);
            inner.change(next);
            return next;
        });
    }

    public RdpCounters counters() {
        return engine.counters();
    }

    /**
     * A socket.
     *
     * @param port 0 picks one
     * @throws VerbsException EADDRINUSE where another socket has that port
     */
    public RdpSocket bind(final int port) {
        return inside(inner -> {
            checkOpen("bind");
            final RdpSocket socket = new RdpSocket(this, inner);
            socket.bind(port);
            sockets.add(socket);
            return socket;
        });
    }

    private void checkOpen(final String verb) {
        if (isClosed) {
            throw new VerbsException(verb, Errno.EINVAL, name, "the driver is closed");
        }
    }

    void forget(final RdpSocket socket) {
        sockets.remove(socket);
    }

    /** The nodes that this one has spoken to. */
    public List<NodeStatus> nodes() {
        return inside(NodeStatus::all);
    }

    /** The open sockets. */
    public List<SocketStatus> sockets() {
        return inside(SocketStatus::all);
    }

    /** Does something with the engine while no other thread does. */
    <T> T inside(final Function<RdpEngine, T> what) {
        gate.enter();
        try {
            return what.apply(engine);
        } finally {
            gate.leave();
        }
    }

    void enter() {
        gate.enter();
    }

    void leave() {
        gate.leave();
    }

    /** To be used inside the gate. */
    RdpEngine engine() {
        return engine;
    }

    DriverGate gate() {
        return gate;
    }

    String name() {
        return name;
    }

    boolean isClosed() {
        return isClosed;
    }

    boolean hasThread() {
        return hasThread;
    }

    /** Lets the driver work if nobody else does; how much that was. */
    int turn(final long nowNs) {
        if (isClosed || !gate.tryEnter()) {
            return 0;
        }
        try {
            return node.doWork(nowNs);
        } finally {
            gate.leave();
        }
    }

    /**
     * Memory that datagrams were sent from, or that was named for some, is about to be given back: it is registered no
     * longer.
     *
     * @throws VerbsException EBUSY where that is not over; wait for its completion
     */
    public void forget(final MemorySegment memory) {
        final boolean isForgotten = inside(inner -> inner.forget(memory.address(), memory.byteSize()));
        if (!isForgotten) {
            throw new VerbsException(
                    "forget", Errno.EBUSY, name,
                    "a datagram is being sent from that memory, or may come into it; wait for its completion");
        }
    }

    /** One turn, unless another thread gives it one; how much work that was. Who waits for a socket may help so. */
    public int doWork(final long nowNs) {
        return turn(nowNs);
    }

    /** When the next turn is due at the latest. */
    public long nextDeadlineNs() {
        return inside(RdpEngine::nextDeadlineNs);
    }

    /** What this driver is now, as its status file says it. */
    public DriverStatus status() {
        return inside(inner -> DriverStatus.of(name, inner));
    }

    /** Buffers that nobody has: none, unless one was lost. For tests. */
    public int missingBuffers() {
        return inside(RdpEngine::missingBuffers);
    }

    /** Closes all sockets and ends all connections; the device stays open. Idempotent. */
    @Override
    public void close() {
        if (isClosed) {
            return;
        }
        inside(inner -> {
            List.copyOf(sockets).forEach(RdpSocket::closeInside);
            isClosed = true;
            return sockets;
        });
        if (hasThread) {
            hasThread = false;
            join();
        }
        node.close();
    }

    private void join() {
        boolean isInterrupted = false;
        while (thread.isAlive()) {
            try {
                thread.join();
            } catch (final InterruptedException e) {
                isInterrupted = true;
            }
        }
        if (isInterrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
