package io.vhca.rdp;

import io.vhca.api.Errno;
import io.vhca.api.VerbsException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Waits for many sockets of one driver at once, as poll(2) does. A socket is readable while a datagram waits in it, and
 * writable unless its last send was refused and nothing has changed since. One thread at a time.
 */
public final class RdpPoller implements AutoCloseable {
    public static final int READABLE = 1;
    public static final int WRITABLE = 4;
    /** A send in place is over, {@link RdpSocket#poll} tells which; or named memory is, {@link RdpDirected#poll}. */
    public static final int COMPLETED = 8;

    private static final int SPINS = 200;
    private static final long MOST_PARK_NS = 1_000_000;

    private final RdpDriver driver;
    private final Map<RdpSocket, Integer> interests = new HashMap<>();
    private final ArrayDeque<RdpSocket> queue = new ArrayDeque<>();
    private final List<RdpSocket> ready = new ArrayList<>();
    private volatile @Nullable Thread waiter;

    public RdpPoller(final RdpDriver driver) {
        this.driver = driver;
    }

    /**
     * Watches a socket, or changes what it is watched for.
     *
     * @param interest {@link #READABLE}, {@link #WRITABLE}, {@link #COMPLETED}, or several of them
     * @throws VerbsException EINVAL where the socket is of another driver, or another poller's
     */
    public void add(final RdpSocket socket, final int interest) {
        if (socket.driver() != driver) {
            throw new VerbsException(
                    "poll", Errno.EINVAL, "poller of " + driver.address(), "the socket is of another driver");
        }
        driver.inside(inner -> {
            if (socket.readiness().poller() != null && socket.readiness().poller() != this) {
                throw new VerbsException(
                        "poll", Errno.EINVAL, "poller of " + driver.address(), "another poller has the socket");
            }
            if (socket.readiness().poller() == null) {
                socket.readiness().poller(this);
            }
            interests.put(socket, interest);
            onReady(socket);
            return socket;
        });
    }

    /** Watches a socket no longer. */
    public void remove(final RdpSocket socket) {
        driver.inside(inner -> {
            forget(socket);
            return socket;
        });
    }

    /**
     * Waits until a socket is ready for what it is watched for.
     *
     * @param timeoutNs 0: not at all
     * @return the sockets that are; the same list each time, valid until the next call
     */
    public List<RdpSocket> poll(final long timeoutNs) {
        final long deadlineNs = System.nanoTime() + timeoutNs;
        for (int spins = 0; ; spins++) {
            final long nowNs = System.nanoTime();
            driver.turn(nowNs);
            collect();
            final long leftNs = deadlineNs - nowNs;
            if (!ready.isEmpty() || leftNs <= 0) {
                return ready;
            }
            if (spins >= SPINS) {
                waiter = Thread.currentThread();
                collect();
                if (ready.isEmpty()) {
                    LockSupport.parkNanos(this, Math.min(leftNs, MOST_PARK_NS));
                }
                waiter = null;
            }
        }
    }

    /** What a socket is ready for and watched for. */
    public int readyFor(final RdpSocket socket) {
        return driver.inside(inner -> socket.readiness().now(socket.port()) & interests.getOrDefault(socket, 0));
    }

    private void collect() {
        driver.gate().enter();
        try {
            ready.clear();
            for (int left = queue.size(); left > 0; left--) {
                final RdpSocket socket = queue.remove();
                socket.readiness().queued(false);
                if ((socket.readiness().now(socket.port()) & interests.getOrDefault(socket, 0)) != 0) {
                    // It stays until it is looked at and not ready.
                    ready.add(socket);
                    socket.readiness().queued(true);
                    queue.add(socket);
                }
            }
        } finally {
            driver.gate().leave();
        }
    }

    // Inside the gate.

    void onReady(final RdpSocket socket) {
        if (!socket.readiness().queued(true)) {
            queue.add(socket);
        }
        final Thread sleeper = waiter;
        if (sleeper != null) {
            LockSupport.unpark(sleeper);
        }
    }

    void forget(final RdpSocket socket) {
        if (interests.remove(socket) != null) {
            queue.remove(socket);
            socket.readiness().poller(null);
        }
    }

    /** Watches nothing any more; the sockets stay open. */
    @Override
    public void close() {
        driver.inside(inner -> {
            List.copyOf(interests.keySet()).forEach(this::forget);
            return queue;
        });
    }
}
