package io.vhca.rdp;

import io.vhca.api.Errno;
import io.vhca.api.VerbsException;
import io.vhca.rdp.completion.DatagramSource;
import io.vhca.rdp.completion.SendCompletion;
import io.vhca.rdp.engine.BorrowedDatagram;
import io.vhca.rdp.engine.OutFlow;
import io.vhca.rdp.engine.Port;
import io.vhca.rdp.engine.RdpEngine;
import io.vhca.rdp.engine.SendResult;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;

/**
 * A socket for reliable datagrams. What was sent by one socket to another arrives there in order, once, whatever paths
 * it took. That it is delivered to the socket is promised, not that the application there receives it.
 *
 * <p>Calls without a timeout never wait. Any thread; the calls of several exclude each other.
 */
public final class RdpSocket implements AutoCloseable {
    private static final int SPINS = 200;
    /** A thread that sleeps looks again after this, should another one have been woken in its place. */
    private static final long MOST_PARK_NS = 1_000_000;

    private final RdpDriver driver;
    private final RdpEngine engine;
    private final UnsafeBuffer view = new UnsafeBuffer(0, 0);
    private final DatagramSource source = new DatagramSource();
    private final Map<InetSocketAddress, OutFlow> flows = new HashMap<>();
    private @Nullable Port port;
    private @Nullable InetSocketAddress lastDestination;
    private @Nullable OutFlow lastFlow;
    private final Readiness readiness = new Readiness(this);
    private int lastLength;

    RdpSocket(final RdpDriver driver, final RdpEngine engine) {
        this.driver = driver;
        this.engine = engine;
    }

    void bind(final int number) {
        port = engine.ports().bind(number, readiness);
    }

    Port checkOpen(final String verb) {
        final Port bound = port;
        if (bound == null) {
            throw new VerbsException(verb, Errno.EINVAL, "socket of " + driver.address(), "it is closed");
        }
        return bound;
    }

    /** Own address and port. */
    public InetSocketAddress localAddress() {
        return driver.inside(
                inner -> new InetSocketAddress(inner.address(), checkOpen("localAddress").number()));
    }

    /**
     * Sends what is between position and limit as one datagram, or says at once why not. When it is
     * {@link SendResult#SENT} the position is at the limit; else nothing has changed.
     */
    public SendResult send(final ByteBuffer datagram, final InetSocketAddress destination) {
        driver.enter();
        try {
            final int length = datagram.remaining();
            view.wrap(datagram, datagram.position(), length);
            final SendResult result = sendInside(view, 0, length, destination);
            if (result == SendResult.SENT) {
                datagram.position(datagram.limit());
            }
            return result;
        } finally {
            driver.leave();
        }
    }

    /** As {@link #send(ByteBuffer, InetSocketAddress)}, from any memory. */
    public SendResult send(
            final DirectBuffer buffer, final int offset, final int lengthBytes, final InetSocketAddress destination) {
        driver.enter();
        try {
            return sendInside(buffer, offset, lengthBytes, destination);
        } finally {
            driver.leave();
        }
    }

    /**
     * Sends from where the datagram is, without a copy: memory of an {@link java.lang.foreign.Arena}, not of the heap.
     * It is registered once and kept so; {@link RdpDriver#forget} before it is given back to the system. When it is
     * SENT the memory must not change until {@link #poll} says that token. Datagrams shorter than InPlaceSize are
     * copied, and their completion is there at once.
     *
     * @param token what the completion is to say
     */
    public SendResult sendInPlace(
            final MemorySegment datagram, final InetSocketAddress destination, final long token) {
        if (!datagram.isNative() || datagram.byteSize() > Integer.MAX_VALUE) {
            throw new VerbsException(
                    "send", Errno.EINVAL, "socket of " + driver.address(),
                    "a device cannot read " + datagram + "; use memory of an Arena, shorter than 2 GB");
        }
        driver.enter();
        try {
            final SendResult result = engine.sender()
                    .sendInPlace(flow(destination), datagram.address(), (int) datagram.byteSize(), token);
            readiness.isWritable(result == SendResult.SENT);
            return result;
        } finally {
            driver.leave();
        }
    }

    /** The next send in place that is over, in the order in which they ended; false where there is none. */
    public boolean poll(final SendCompletion target) {
        driver.enter();
        try {
            return checkOpen("poll").poll(target);
        } finally {
            driver.leave();
        }
    }

    private SendResult sendInside(
            final DirectBuffer buffer, final int offset, final int lengthBytes, final InetSocketAddress destination) {
        final SendResult result = engine.sender().send(flow(destination), buffer, offset, lengthBytes);
        readiness.isWritable(result == SendResult.SENT);
        return result;
    }

    OutFlow flow(final InetSocketAddress destination) {
        final OutFlow last = lastFlow;
        if (last != null && (destination == lastDestination || destination.equals(lastDestination))) {
            return last;
        }
        return otherFlow(destination);
    }

    private OutFlow otherFlow(final InetSocketAddress destination) {
        final Port bound = checkOpen("send");
        if (destination.isUnresolved() || destination.getPort() == 0 || destination.getAddress().isMulticastAddress()) {
            throw new VerbsException(
                    "send", Errno.EINVAL, driver.address() + " port " + bound.number(),
                    "no datagram can go to " + destination
                            + ": a destination is the address of one node and a port from 1 on");
        }
        final OutFlow flow = flows.computeIfAbsent(destination, to -> engine.ports().flow(bound, to));
        lastDestination = destination;
        lastFlow = flow;
        return flow;
    }

    /**
     * As {@link #send(ByteBuffer, InetSocketAddress)}, but waits as long as the destination or the socket takes
     * nothing.
     *
     * @return NO_BUFFERS or WOULD_BLOCK where the time was too short
     */
    public SendResult send(final ByteBuffer datagram, final InetSocketAddress destination, final long timeoutNs) {
        final long deadlineNs = System.nanoTime() + timeoutNs;
        SendResult result = send(datagram, destination);
        for (int spins = 0; result == SendResult.WOULD_BLOCK || result == SendResult.NO_BUFFERS; spins++) {
            if (!await(spins, deadlineNs)) {
                break;
            }
            result = send(datagram, destination);
        }
        readiness.awake();
        return result;
    }

    /** Whether sends there wait for nothing but that the other node is connected, or says that it has the port. */
    public boolean isOpening(final InetSocketAddress destination) {
        driver.enter();
        try {
            return flow(destination).latest().isOpening();
        } finally {
            driver.leave();
        }
    }

    /**
     * Receives a datagram into the room between position and limit. What does not fit is lost, as with UDP:
     * {@link #lastLength} tells.
     *
     * @return who sent it; null where there is none. The same object for all of one sender
     */
    public @Nullable InetSocketAddress receive(final ByteBuffer target) {
        driver.enter();
        try {
            final int room = target.remaining();
            view.wrap(target, target.position(), room);
            final int length = engine.ports().receive(checkOpen("receive"), view, 0, room, source);
            if (length < 0) {
                return null;
            }
            lastLength = length;
            target.position(target.position() + Math.min(room, length));
            return source.address();
        } finally {
            driver.leave();
        }
    }

    /** As {@link #receive(ByteBuffer)}, but waits for a datagram; null where none came in that time. */
    public @Nullable InetSocketAddress receive(final ByteBuffer target, final long timeoutNs) {
        final long deadlineNs = System.nanoTime() + timeoutNs;
        InetSocketAddress from = receive(target);
        for (int spins = 0; from == null && await(spins, deadlineNs); spins++) {
            from = receive(target);
        }
        readiness.awake();
        return from;
    }

    /**
     * Receives without a copy: the datagram stays in the driver's buffers, and is this socket's share of them until
     * {@link #release}. Who keeps too many stalls his senders. All are to be released before the driver is closed.
     *
     * @param target holds no datagram yet
     * @return whether there was one
     */
    public boolean borrow(final BorrowedDatagram target) {
        driver.enter();
        try {
            return engine.ports().borrow(checkOpen("borrow"), target);
        } finally {
            driver.leave();
        }
    }

    /** Gives a borrowed datagram back, also after the socket was closed; nothing where none is borrowed. */
    public void release(final BorrowedDatagram datagram) {
        driver.enter();
        try {
            engine.ports().release(datagram);
        } finally {
            driver.leave();
        }
    }

    /** How long the datagram was that was received last, though there may have been less room. */
    public int lastLength() {
        return lastLength;
    }

    /** Waits until a datagram can be received; false where none came in that time. */
    public boolean awaitReadable(final long timeoutNs) {
        final long deadlineNs = System.nanoTime() + timeoutNs;
        boolean isReadable = pending() > 0;
        for (int spins = 0; !isReadable && await(spins, deadlineNs); spins++) {
            isReadable = pending() > 0;
        }
        readiness.awake();
        return isReadable;
    }

    /** Lets the driver work, and sleeps when that takes long; false when the time is over. */
    private boolean await(final int spins, final long deadlineNs) {
        final long nowNs = System.nanoTime();
        final long leftNs = deadlineNs - nowNs;
        if (leftNs <= 0) {
            return false;
        }
        if (driver.turn(nowNs) > 0) {
            return true;
        }
        if (spins < SPINS) {
            Thread.onSpinWait();
        } else if (readiness.waits()) {
            // The caller looks once more: what comes from now on wakes this thread.
            return true;
        } else {
            LockSupport.parkNanos(this, Math.min(leftNs, MOST_PARK_NS));
        }
        return true;
    }

    /** Datagrams that wait to be received. */
    public int pending() {
        return driver.inside(inner -> checkOpen("pending").pending());
    }

    /** SO_SNDBUF: how much of this socket may be on its way. No datagram can be longer. */
    public int sendBufferBytes() {
        return driver.inside(inner -> checkOpen("sendBufferBytes").sendLimit());
    }

    /** How long a datagram of this socket may be. */
    public int longestDatagram() {
        return driver.inside(inner -> checkOpen("longestDatagram").longestDatagram());
    }

    public void sendBufferBytes(final int bytes) {
        checkSize("SO_SNDBUF", bytes);
        driver.inside(inner -> {
            checkOpen("sendBufferBytes").sendLimit(bytes);
            return bytes;
        });
    }

    /** SO_RCVBUF: how much may wait in this socket; a share of it stalls the senders. */
    public int receiveBufferBytes() {
        return driver.inside(inner -> checkOpen("receiveBufferBytes").receiveLimit());
    }

    public void receiveBufferBytes(final int bytes) {
        checkSize("SO_RCVBUF", bytes);
        driver.inside(inner -> {
            checkOpen("receiveBufferBytes").receiveLimit(bytes);
            return bytes;
        });
    }

    private void checkSize(final String option, final int bytes) {
        if (bytes < 1) {
            throw new VerbsException(
                    "setOption", Errno.EINVAL, "socket of " + driver.address(),
                    option + " = " + bytes + ": it may be 1 or more");
        }
    }

    /** The driver that it is a socket of. */
    public RdpDriver driver() {
        return driver;
    }

    /** Who is told from now on whenever this socket may have become ready; null for nobody. Beside a poller. */
    public void watch(final @Nullable ReadyListener listener) {
        readiness.watch(listener);
    }

    /** What it is ready for now: {@link RdpPoller#READABLE}, {@link RdpPoller#WRITABLE}, both or nothing. */
    public int readyNow() {
        driver.enter();
        try {
            return readiness.now(port);
        } finally {
            driver.leave();
        }
    }

    // Inside the gate.

    Readiness readiness() {
        return readiness;
    }

    @Nullable Port port() {
        return port;
    }

    void closeInside() {
        final Port bound = port;
        if (bound != null) {
            port = null;
            lastFlow = null;
            flows.clear();
            engine.ports().close(bound);
            driver.forget(this);
            readiness.close();
        }
    }

    /** Closes the socket: what waits in it is lost, what is on its way from it arrives. Idempotent. */
    @Override
    public void close() {
        driver.inside(inner -> {
            closeInside();
            return this;
        });
    }
}
