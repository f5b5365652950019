package io.vhca.rdp.shared;

import io.vhca.api.Errno;
import io.vhca.api.VerbsException;
import io.vhca.rdp.RdpPoller;
import io.vhca.rdp.RdpSocket;
import io.vhca.rdp.RdpSockets;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/**
 * The driver of this host that all processes share, as one of them sees it. Each call is made by shared memory and
 * answered by the driver's process. When that ends, calls throw ENOTCONN; this process looks for another one, and then
 * they go on, with the same sockets.
 *
 * <p>Any thread. Beside them one of its own, {@code vhca-rdp-client-NAME}, wakes those that wait.
 */
public final class SharedDriver implements RdpSockets {
    private static final Logger LOGGER = System.getLogger(SharedDriver.class.getName());
    /** Its thread looks some times a second whether the driver is closed. */
    private static final long MOST_CLOSE_S = 10;

    private final String device;
    /** In the order they came: a thread that calls again and again would keep all others out of it. */
    private final ReentrantLock lock = new ReentrantLock(true);
    /** Of the client's thread while it attaches anew; taken before the other one. */
    private final ReentrantLock attaching = new ReentrantLock();
    private final List<SocketSeat> seats = new CopyOnWriteArrayList<>();
    private final Sleepers sleepers = new Sleepers();
    private final ClientThread thread;
    private volatile ClientCalls calls;
    private volatile boolean hasListeners;
    private volatile boolean isClosed;

    private SharedDriver(final String device, final Attachment attachment) throws IOException {
        this.device = device;
        calls = new ClientCalls(attachment, sleepers);
        thread = new ClientThread(this);
        attachment.onEnd(thread::wake);
    }

    /**
     * Attaches to the driver of a device.
     *
     * @throws VerbsException ENOTCONN where none is there, EPROTONOSUPPORT where it is of another release
     */
    public static SharedDriver attach(final String device) {
        return attach(device, Thread::start);
    }

    /** The same; a driver that does not answer is waited for until the caller gives up. */
    static SharedDriver attachUntil(final String device, final BooleanSupplier isGivenUp) {
        return by(device, Attachment.to(device, isGivenUp), Thread::start);
    }

    /** The same with something that starts its thread, for a test of what becomes of it where that fails. */
    static SharedDriver attach(final String device, final Consumer<Thread> starter) {
        return by(device, Attachment.to(device), starter);
    }

    private static SharedDriver by(
            final String device, final Attachment attachment, final Consumer<Thread> starter) {
        boolean isDone = false;
        try {
            final SharedDriver driver = new SharedDriver(device, attachment);
            driver.thread.start(starter);
            isDone = true;
            return driver;
        } catch (final IOException e) {
            throw new VerbsException("attach", Errno.EIO, "driver of " + device, String.valueOf(e.getMessage()), e);
        } finally {
            if (!isDone) {
                close(attachment);
            }
        }
    }

    /**
     * Attaches to the driver of a device, which is started in a process of its own where none is there. That one stays
     * until it is ended.
     *
     * @throws VerbsException ENOTCONN where it did not start; its log says why
     */
    public static SharedDriver attachOrStart(final String device) {
        return DriverProcess.attach(device);
    }

    private static void close(final Attachment attachment) {
        try {
            attachment.channel().close();
        } catch (final IOException e) {
            LOGGER.log(Logger.Level.DEBUG, "leaving a shared driver: " + e.getMessage());
        }
    }

    String device() {
        return device;
    }

    void lock() {
        lock.lock();
    }

    void unlock() {
        lock.unlock();
    }

    Sleepers sleepers() {
        return sleepers;
    }

    Attachment attachment() {
        return calls.attachment();
    }

    boolean isClosed() {
        return isClosed;
    }

    void checkOpen(final String verb) {
        if (isClosed) {
            throw new VerbsException(verb, Errno.EINVAL, "shared driver of " + device, "it is closed here");
        }
    }

    /**
     * By what sockets call now.
     *
     * @throws VerbsException ENOTCONN where the driver has ended
     */
    ClientCalls calls(final String verb) {
        checkOpen(verb);
        final ClientCalls now = calls;
        if (now.attachment().end() != null) {
            throw now.gone(verb);
        }
        return now;
    }

    /** Somebody wants to be told of a socket from now on. */
    void listens() {
        hasListeners = true;
        attachment().arm();
        thread.wake();
    }

    void forget(final SocketSeat seat) {
        seats.remove(seat);
    }

    /** The driver has rung, ended, or come back: whoever waits looks. The client's thread. */
    void tellAll() {
        if (hasListeners) {
            // Before they are looked at: what becomes ready after that rings again.
            attachment().arm();
        }
        seats.forEach(SocketSeat::tell);
        sleepers.wakeAll();
    }

    /** Attaches to the driver that is there now, unless this one is closed. The client's thread. */
    void reattach() {
        attaching.lock();
        try {
            if (!isClosed) {
                attachAnew();
            }
        } finally {
            attaching.unlock();
        }
    }

    private void attachAnew() {
        // First: the one before may still be there, and is to give the ports back before they are asked for again.
        close(attachment());
        final Attachment next = another();
        boolean isDone = false;
        lock.lock();
        try {
            if (!isClosed) {
                next.isHeardHere();
                next.onEnd(thread::wake);
                calls = new ClientCalls(next, sleepers);
                seats.forEach(seat -> seat.rebind(calls));
                isDone = true;
            }
        } finally {
            if (!isDone) {
                // A socket that it has not taken has its number of before, which may be another one's there.
                close(next);
                next.end("was left, because it did not take all sockets");
            }
            lock.unlock();
        }
    }

    /** The driver that is there now. One that does not take this process takes none of its sockets, and they say so. */
    private Attachment another() {
        try {
            return Attachment.to(device, () -> isClosed);
        } catch (final VerbsException e) {
            lock.lock();
            try {
                seats.forEach(seat -> seat.refused(e));
            } finally {
                lock.unlock();
            }
            throw e;
        }
    }

    @Override
    public InetAddress address() {
        return attachment().address();
    }

    @Override
    public RdpSocket bind(final int port) {
        lock.lock();
        try {
            final ClientCalls now = calls("bind");
            final int number = (int) now.ask(CallVerb.BIND, 0, port);
            final InetSocketAddress address = now.address();
            now.finish();
            final SocketSeat seat = new SocketSeat(this, now.attachment(), number, address);
            seats.add(seat);
            return new RingSocket(this, seat);
        } finally {
            lock.unlock();
        }
    }

    @Override
    public RdpPoller poller() {
        return new RingPoller(this);
    }

    /** Nothing: no memory of this process is registered. */
    @Override
    public void forget(final MemorySegment memory) {
        assert memory.byteSize() >= 0;
    }

    /** Nothing: the driver's process has threads of its own. */
    @Override
    public void waits() {}

    /** Nothing: the driver works in its own process. */
    @Override
    public int doWork(final long nowNs) {
        return 0;
    }

    @Override
    public void close() {
        lock.lock();
        try {
            if (isClosed) {
                return;
            }
            if (attachment().end() == null) {
                calls.call(CallVerb.DETACH, 0, 0);
            }
        } catch (final VerbsException e) {
            // It ends at this moment: there is nothing to detach from.
            assert e.errno() == Errno.ENOTCONN : e;
        } finally {
            isClosed = true;
            attachment().end("was closed here");
            close(attachment());
            seats.forEach(SocketSeat::drop);
            lock.unlock();
        }
        thread.wake();
        awaitAttaching();
    }

    /** Until its thread has given up to attach anew: what comes to be there from now on is not attached to. */
    private void awaitAttaching() {
        try {
            if (attaching.tryLock(MOST_CLOSE_S, TimeUnit.SECONDS)) {
                attaching.unlock();
            }
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
