package io.vhca.rdp.shared;

import io.vhca.rdp.RdpDriver;
import io.vhca.rdp.common.FailedTurns;
import io.vhca.rdp.common.RdpCounters.Counter;
import io.vhca.rdp.common.SaidLately;
import io.vhca.rdp.status.ClientStatus;
import io.vhca.rdp.unix.UnixListener;
import java.io.IOException;
import java.lang.System.Logger;
import java.nio.ByteBuffer;
import java.nio.channels.Channel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.agrona.CloseHelper;

/**
 * What the thread of a shared driver does, turn by turn: lets the driver work, answers calls, tells clients what became
 * ready, looks at their Unix domain sockets now and then, and sleeps there when there is nothing. One bad client ends
 * alone.
 */
final class ServerTurns {
    private static final Logger LOGGER = System.getLogger(ServerTurns.class.getName());
    static final int MOST_VISITORS = 64;
    /** Turns without work after which it sleeps. */
    private static final int IDLE_TURNS = 500;
    /** While it is busy it looks this often for who comes and goes. */
    private static final long LOOK_NS = TimeUnit.MILLISECONDS.toNanos(1);
    private static final long SLEEP_MS = 1_000;
    private static final long FAILED_NAP_NS = TimeUnit.MILLISECONDS.toNanos(10);
    /** While somebody has connected and not asked, or nobody can connect for now. */
    private static final long WATCHING_MS = 100;

    private final RdpDriver driver;
    private final UnixListener listener;
    private final Selector selector;
    private final ServerWork work;
    private final AttachDesk desk;
    /** The server's thread changes it, any reads. */
    private final List<ServedClient> clients = new CopyOnWriteArrayList<>();
    /** Who has connected and not asked yet. */
    private final List<AttachDesk.Visitor> visitors = new ArrayList<>();
    private final ByteBuffer bytes = ByteBuffer.allocateDirect(64);
    private int idle;
    private long lookedNs;
    private final FailedTurns failures;

    /**
     * @param acceptor the listening channel
     * @param key      of that channel, interested in who connects
     */
    ServerTurns(final RdpDriver driver, final UnixListener.Acceptor acceptor, final SelectionKey key) {
        this.driver = driver;
        selector = key.selector();
        work = new ServerWork(selector);
        failures = new FailedTurns(LOGGER, "the shared driver of " + driver.name());
        desk = new AttachDesk(driver, work, new SaidLately()::isNews);
        listener = new UnixListener(
                "the driver of " + driver.name(), acceptor, key, () -> desk.count(Counter.ATTACHES_REFUSED));
        lookedNs = System.nanoTime();
    }

    /** Who is attached. Any thread. */
    List<ClientStatus> clients() {
        return clients.stream().map(ServedClient::status).toList();
    }

    /** Ends a sleep. Any thread. */
    void wake() {
        selector.wakeup();
    }

    /**
     * A turn. What fails in it is tried again: all clients depend on this thread.
     *
     * @throws IOException nobody can be listened to any more
     */
    void turn(final long nowNs) throws IOException {
        try {
            attempt(nowNs);
        } catch (final RuntimeException | VirtualMachineError e) {
            failures.warn(e);
            LockSupport.parkNanos(this, FAILED_NAP_NS);
        }
    }

    private void attempt(final long nowNs) throws IOException {
        final int served = serve();
        final int done = help(nowNs);
        final int forClients = served + tell();
        idle = forClients + done > 0 ? 0 : idle + 1;
        if (idle == IDLE_TURNS) {
            sleep();
        } else if (forClients > 0 || done == 0) {
            // A client that was answered or told goes on, and may have no other processor. What the device is to send
            // in answer to what came waits for what the client sends then.
            Thread.yield();
        }
        if (nowNs - lookedNs > LOOK_NS) {
            look(0, nowNs);
        }
    }

    /** Answers calls; how many. */
    private int serve() {
        int done = 0;
        for (int i = 0; i < clients.size(); i++) {
            final ServedClient client = clients.get(i);
            try {
                if (client.serve()) {
                    done++;
                }
            } catch (final CorruptRingException e) {
                desk.count(Counter.CLIENTS_CORRUPT);
                end(client, String.valueOf(e.getMessage()));
            } catch (final RuntimeException | Error e) {
                // What its memory says, or has no room here, cannot harm another client, whatever it is.
                desk.count(Counter.CLIENTS_CORRUPT);
                end(client, String.valueOf(e));
            }
        }
        return done;
    }

    /** Lets the driver work; how much it did. What fails now is tried again: all clients depend on this thread. */
    private int help(final long nowNs) {
        try {
            return driver.help(nowNs);
        } catch (final RuntimeException | VirtualMachineError e) {
            failures.warn(e);
            return 0;
        }
    }

    /** Says what became ready; of how many sockets. */
    private int tell() {
        int told = 0;
        for (ServedSocket socket = work.take(); socket != null; socket = work.take()) {
            try {
                socket.tell();
            } catch (final RuntimeException | VirtualMachineError e) {
                // It became ready, and is told again. Each turn would find that, and no other thing that wakes it.
                socket.onReady();
                failures.warn(e);
                LockSupport.parkNanos(this, FAILED_NAP_NS);
                return told;
            }
            told++;
        }
        return told;
    }

    private void sleep() throws IOException {
        int found = 0;
        try {
            clients.forEach(ServedClient::sleeps);
            work.isSleeping(true);
            driver.waits();
            // What came before these words were written; what comes from now on wakes it.
            found = serve() + tell();
            if (found == 0) {
                final boolean isWatching = !visitors.isEmpty() || listener.isPaused();
                found = look(isWatching ? WATCHING_MS : SLEEP_MS, System.nanoTime());
            }
        } finally {
            work.isSleeping(false);
            clients.forEach(ServedClient::isAwake);
            // Where nobody said anything one turn is enough to see whether the driver did.
            idle = found > 0 ? 0 : IDLE_TURNS - 1;
        }
    }

    /** @return of how many sockets there was something */
    private int look(final long waitMs, final long beforeNs) throws IOException {
        listener.resume(beforeNs);
        final int found = waitMs > 0 ? selector.select(waitMs) : selector.selectNow();
        final long nowNs = waitMs > 0 ? System.nanoTime() : beforeNs;
        lookedNs = nowNs;
        try {
            boolean isCalled = false;
            for (final SelectionKey key : selector.selectedKeys()) {
                if (listener.is(key)) {
                    isCalled = true;
                } else {
                    read(key);
                }
            }
            if (isCalled) {
                accept(nowNs); // behind who has asked: nobody gives way unheard who has said something
            }
        } finally {
            // Who has not had his turn is selected again.
            selector.selectedKeys().clear();
        }
        for (int i = visitors.size() - 1; i >= 0; i--) {
            if (visitors.get(i).isLate(nowNs)) {
                refuse(visitors.remove(i).channel());
            }
        }
        return found;
    }

    private void accept(final long nowNs) throws IOException {
        final SelectionKey key = listener.accept(nowNs);
        if (key == null) {
            return;
        }
        try {
            final AttachDesk.Visitor visitor = AttachDesk.Visitor.of((SocketChannel) key.channel(), nowNs);
            visitors.add(visitor);
            key.attach(visitor);
        } catch (final IOException | RuntimeException | OutOfMemoryError e) {
            refuse(key.channel());
            LOGGER.log(Logger.Level.DEBUG, "nobody can be served who connects: " + e.getMessage());
        }
        if (visitors.size() > MOST_VISITORS) {
            final AttachDesk.Visitor silent = AttachDesk.givesWay(visitors);
            visitors.remove(silent);
            refuse(silent.channel());
        }
    }

    private void refuse(final Channel channel) {
        CloseHelper.quietClose(channel);
        desk.count(Counter.ATTACHES_REFUSED);
    }

    private void read(final SelectionKey key) {
        if (key.attachment() instanceof final AttachDesk.Visitor visitor) {
            boolean isAttached = false;
            try {
                final ServedClient client = desk.read(visitor, clients);
                if (!desk.isWaiting(visitor)) {
                    visitors.remove(visitor);
                }
                if (client != null) {
                    key.attach(client);
                    isAttached = clients.add(client);
                }
            } catch (final IOException | RuntimeException | OutOfMemoryError e) {
                // One for whom this process has no room ends nobody who is attached.
                visitors.remove(visitor);
                refuse(visitor.channel());
                LOGGER.log(Logger.Level.DEBUG, "an attach failed: " + e.getMessage());
            }
            if (isAttached) {
                counted(); // who has its place keeps it, whatever becomes of the count
            }
        } else if (key.attachment() instanceof final ServedClient client) {
            readBytes(client);
        }
    }

    /** They say nothing but that there is something in its memory, or that it has ended. */
    private void readBytes(final ServedClient client) {
        boolean isOver;
        try {
            isOver = client.channel().read(bytes.clear()) < 0;
        } catch (final IOException e) {
            isOver = true;
        }
        if (isOver) {
            if (!client.hasDetached()) {
                desk.count(Counter.CLIENTS_LOST);
            }
            end(client, client.hasDetached() ? "" : "its process has ended without closing it");
        }
    }

    /** @param why empty where it is the client's own wish */
    private void end(final ServedClient client, final String why) {
        clients.remove(client);
        try {
            client.close();
        } catch (final IOException | RuntimeException | Error e) {
            // What of it cannot be given back ends no other client.
            LOGGER.log(Logger.Level.WARNING, client + " was not closed whole: " + e);
        }
        counted();
        if (!why.isEmpty()) {
            LOGGER.log(Logger.Level.WARNING, client + " of the driver of " + driver.name() + " is ended: " + why);
        }
    }

    private void counted() {
        driver.inside(engine -> {
            engine.counters().add(
                    Counter.CLIENTS, clients.size() - engine.counters().get(Counter.CLIENTS));
            return engine;
        });
    }

    /** Ends all clients. The server's thread, at its end. */
    void close() {
        for (final ServedClient client : clients) {
            end(client, "");
        }
        try {
            for (final SelectionKey key : selector.keys()) {
                key.channel().close();
            }
            selector.close();
        } catch (final IOException e) {
            LOGGER.log(Logger.Level.DEBUG, "closing a shared driver: " + e.getMessage());
        }
    }
}
