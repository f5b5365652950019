package io.vhca.rdp;

import io.vhca.api.VerbsException;
import io.vhca.rdp.access.AccessControl;
import io.vhca.rdp.access.Credentials;
import io.vhca.rdp.common.RdpCounters.Counter;
import io.vhca.rdp.engine.RdpEngine;
import io.vhca.rdp.status.ClientStatus;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The open sockets of a driver in this process, who may have one, and which other processes have some here. Inside the
 * driver, where nothing else is said.
 */
public final class SocketTable {
    private final AccessControl access;
    private final List<EngineSocket> sockets = new ArrayList<>();
    private volatile Supplier<List<ClientStatus>> clients = List::of;

    SocketTable(final AccessControl access) {
        this.access = access;
    }

    /** A socket, where this process may have one. Any thread. */
    RdpSocket bind(final RdpDriver driver, final int port) {
        check(driver, access::checkThisProcess);
        return bindChecked(driver, port);
    }

    /**
     * A socket for another process, which uses it by this one. Any thread.
     *
     * @throws VerbsException EPERM where that process may have none, and as {@link RdpSockets#bind}
     */
    public RdpSocket bind(final RdpDriver driver, final int port, final Credentials who) {
        check(driver, () -> access.check(who));
        return bindChecked(driver, port);
    }

    /** Why another process may have no socket, which is counted; empty where it may. Any thread. */
    public String refusal(final RdpDriver driver, final Credentials who) {
        final String why = access.refusal(who);
        if (!why.isEmpty()) {
            count(driver, Counter.ACCESS_REFUSED);
        }
        return why;
    }

    /** Counts what becomes of other processes. Any thread. */
    public void count(final RdpDriver driver, final Counter counter) {
        driver.inside(inner -> {
            inner.counters().increment(counter);
            return inner;
        });
    }

    /**
     * Receives for the process that has the socket, before it asks. Any thread.
     *
     * @return who sent it; null where none waits, the next one is longer than the room for it, or the socket is closed
     */
    public static @Nullable InetSocketAddress receiveWhole(final RdpSocket socket, final ByteBuffer target) {
        return ((EngineSocket) socket).receiveWhole(target);
    }

    /** Who says from now on which processes use this driver. Any thread. */
    public void clients(final Supplier<List<ClientStatus>> source) {
        clients = source;
    }

    List<ClientStatus> clients() {
        return clients.get();
    }

    private RdpSocket bindChecked(final RdpDriver driver, final int port) {
        return driver.inside(inner -> {
            driver.turns().checkOpen("bind", driver.name());
            final EngineSocket socket = new EngineSocket(driver, inner, closed -> close(inner, closed));
            socket.bind(inner.ports().bind(port, socket.readiness()));
            sockets.add(socket);
            return socket;
        });
    }

    /** Reads a file, so it is not inside the driver. */
    private void check(final RdpDriver driver, final Runnable judge) {
        try {
            judge.run();
        } catch (final VerbsException e) {
            count(driver, Counter.ACCESS_REFUSED);
            throw e;
        }
    }

    private void close(final RdpEngine engine, final EngineSocket socket) {
        engine.ports().close(socket.checkOpen("close"));
        sockets.remove(socket);
    }

    RdpPoller poller(final RdpDriver driver) {
        return new EnginePoller(driver);
    }

    void close() {
        List.copyOf(sockets).forEach(EngineSocket::closeInside);
    }
}
