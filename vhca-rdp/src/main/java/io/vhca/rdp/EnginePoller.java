package io.vhca.rdp;

import io.vhca.api.Errno;
import io.vhca.api.VerbsException;
import io.vhca.rdp.common.Spinning;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Waits for sockets of a driver in this process. One thread at a time; who is told of a socket, inside the driver. */
final class EnginePoller implements RdpPoller {
    private static final int SPINS = Spinning.turns(200);

    private final RdpDriver driver;
    private final Map<EngineSocket, Integer> interests = new HashMap<>();
    private final ArrayDeque<EngineSocket> queue = new ArrayDeque<>();
    private final List<RdpSocket> ready = new ArrayList<>();
    private volatile @Nullable Thread waiter;

    EnginePoller(final RdpDriver driver) {
        this.driver = driver;
    }

    @Override
    public void add(final RdpSocket watched, final int interest) {
        final EngineSocket socket = own(watched);
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

    private EngineSocket own(final RdpSocket socket) {
        if (socket.driver() != driver) {
            throw new VerbsException(
                    "poll", Errno.EINVAL, "poller of " + driver.address(), "the socket is of another driver");
        }
        return (EngineSocket) socket;
    }

    @Override
    public void remove(final RdpSocket socket) {
        driver.inside(inner -> {
            forget(own(socket));
            return socket;
        });
    }

    @Override
    public List<RdpSocket> poll(final long timeoutNs) {
        try {
            return await(System.nanoTime() + timeoutNs);
        } finally {
            driver.turns().awake();
        }
    }

    private List<RdpSocket> await(final long deadlineNs) {
        for (int spins = 0; ; spins = Math.min(spins + 1, SPINS)) {
            final long nowNs = System.nanoTime();
            driver.help(nowNs);
            collect();
            driver.turns().checkOpen("poll", driver.name());
            final long leftNs = deadlineNs - nowNs;
            if (!ready.isEmpty() || leftNs <= 0 || Thread.currentThread().isInterrupted()) {
                return ready;
            }
            if (spins >= SPINS) {
                sleep(leftNs);
            }
        }
    }

    private void sleep(final long mostNs) {
        waiter = Thread.currentThread();
        try {
            collect();
            // Who has just sat down looks once more: what comes from then on wakes it there.
            if (ready.isEmpty() && !driver.turns().takeSeat()) {
                driver.turns().sleep(mostNs);
            }
        } finally {
            waiter = null;
        }
    }

    @Override
    public int readyFor(final RdpSocket watched) {
        final EngineSocket socket = own(watched);
        return driver.inside(inner -> socket.readiness().now(socket.port()) & interests.getOrDefault(socket, 0));
    }

    private void collect() {
        driver.turns().enter();
        try {
            ready.clear();
            for (int left = queue.size(); left > 0; left--) {
                final EngineSocket socket = queue.remove();
                socket.readiness().queued(false);
                if ((socket.readiness().now(socket.port()) & interests.getOrDefault(socket, 0)) != 0) {
                    // It stays until it is looked at and not ready.
                    ready.add(socket);
                    socket.readiness().queued(true);
                    queue.add(socket);
                }
            }
        } finally {
            driver.turns().leave();
        }
    }

    // Inside the gate.

    void onReady(final EngineSocket socket) {
        if (!socket.readiness().queued(true)) {
            queue.add(socket);
        }
        final Thread sleeper = waiter;
        if (sleeper != null) {
            driver.turns().wake(sleeper);
        }
    }

    void forget(final EngineSocket socket) {
        if (interests.remove(socket) != null) {
            queue.remove(socket);
            socket.readiness().poller(null);
        }
    }

    @Override
    public void close() {
        driver.inside(inner -> {
            List.copyOf(interests.keySet()).forEach(this::forget);
            return queue;
        });
    }
}
