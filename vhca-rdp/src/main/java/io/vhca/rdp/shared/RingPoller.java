package io.vhca.rdp.shared;

import io.vhca.api.Errno;
import io.vhca.api.VerbsException;
import io.vhca.rdp.RdpPoller;
import io.vhca.rdp.RdpSocket;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;

/** Waits for sockets of a shared driver, by what that says in shared memory. One thread at a time. */
final class RingPoller implements RdpPoller {
    private final SharedDriver driver;
    private final Map<RdpSocket, Integer> interests = new IdentityHashMap<>();
    private final List<RdpSocket> watched = new ArrayList<>();
    private final List<RdpSocket> ready = new ArrayList<>();

    RingPoller(final SharedDriver driver) {
        this.driver = driver;
    }

    private RingSocket own(final RdpSocket socket) {
        if (socket.driver() != driver) {
            throw new VerbsException(
                    "poll", Errno.EINVAL, "poller of " + driver.address(), "the socket is of another driver");
        }
        return (RingSocket) socket;
    }

    @Override
    public void add(final RdpSocket socket, final int interest) {
        own(socket).seat().poller(this);
        if (interests.put(socket, interest) == null) {
            watched.add(socket);
        }
    }

    @Override
    public void remove(final RdpSocket socket) {
        if (interests.remove(own(socket)) != null) {
            own(socket).seat().poller(null);
            watched.remove(socket);
        }
    }

    @Override
    public List<RdpSocket> poll(final long timeoutNs) {
        final long deadlineNs = System.nanoTime() + timeoutNs;
        for (int looks = 0; ; looks = Sleepers.next(looks)) {
            collect();
            driver.checkOpen("poll");
            final long leftNs = deadlineNs - System.nanoTime();
            if (!ready.isEmpty() || leftNs <= 0 || Thread.currentThread().isInterrupted()) {
                return ready;
            }
            if (Sleepers.yields(looks)) {
                continue;
            }
            final Attachment attachment = driver.attachment();
            final int word = driver.sleepers().in(attachment);
            try {
                collect();
                if (ready.isEmpty()) {
                    driver.sleepers().park(attachment, word, leftNs);
                }
            } finally {
                driver.sleepers().out();
            }
        }
    }

    private void collect() {
        ready.clear();
        boolean hasClosed = false;
        for (int i = 0; i < watched.size(); i++) {
            final RdpSocket socket = watched.get(i);
            if (own(socket).seat().isClosed()) {
                hasClosed = true;
            } else if (readyFor(socket) != 0) {
                ready.add(socket);
            }
        }
        if (hasClosed) {
            watched.removeIf(socket -> own(socket).seat().isClosed());
            interests.keySet().removeIf(socket -> own(socket).seat().isClosed());
        }
    }

    @Override
    public int readyFor(final RdpSocket socket) {
        return socket.readyNow() & interests.getOrDefault(socket, 0);
    }

    @Override
    public void close() {
        List.copyOf(watched).forEach(this::remove);
    }
}
