package io.vhca.rdp;

import io.vhca.api.Errno;
import io.vhca.api.VerbsException;
import io.vhca.rdp.completion.SendCompletion;
import io.vhca.rdp.engine.BorrowedDatagram;
import io.vhca.rdp.engine.Port;
import io.vhca.rdp.engine.RdpEngine;
import io.vhca.rdp.engine.SendResult;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.function.Consumer;
import org.agrona.DirectBuffer;
import org.jspecify.annotations.Nullable;

/** A socket of a driver in this process. Any thread; the calls of several exclude each other. */
final class EngineSocket implements RdpSocket {
    private final RdpDriver driver;
    private final SocketSender sender;
    private final SocketReceiver receiver;
    private final Consumer<EngineSocket> closer;
    private final Readiness readiness = new Readiness(this);
    private @Nullable Port port;

    /** @param closer closes its port, inside the driver */
    EngineSocket(final RdpDriver driver, final RdpEngine engine, final Consumer<EngineSocket> closer) {
        this.driver = driver;
        this.closer = closer;
        sender = new SocketSender(engine);
        receiver = new SocketReceiver(engine);
    }

    void bind(final Port to) {
        port = to;
    }

    Port checkOpen(final String verb) {
        final Port bound = port;
        if (bound == null) {
            throw new VerbsException(verb, Errno.EINVAL, "socket of " + driver.address(), "it is closed");
        }
        return bound;
    }

    @Override
    public InetSocketAddress localAddress() {
        return driver.inside(
                inner -> new InetSocketAddress(inner.address(), checkOpen("localAddress").number()));
    }

    @Override
    public SendResult send(final ByteBuffer datagram, final InetSocketAddress destination) {
        driver.enter();
        try {
            return answered(sender.send(checkOpen("send"), datagram, destination));
        } finally {
            driver.leave();
        }
    }

    @Override
    public SendResult send(
            final DirectBuffer buffer, final int offset, final int lengthBytes, final InetSocketAddress destination) {
        buffer.boundsCheck(offset, lengthBytes);
        driver.enter();
        try {
            return answered(sender.send(checkOpen("send"), buffer, offset, lengthBytes, destination));
        } finally {
            driver.leave();
        }
    }

    @Override
    public SendResult sendInPlace(
            final MemorySegment datagram, final InetSocketAddress destination, final long token) {
        driver.enter();
        try {
            return answered(sender.sendInPlace(checkOpen("send"), datagram, destination, token));
        } finally {
            driver.leave();
        }
    }

    @Override
    public boolean poll(final SendCompletion target) {
        driver.enter();
        try {
            return checkOpen("poll").poll(target);
        } finally {
            driver.leave();
        }
    }

    /** What a send was answered: one that may be taken later waits to be woken, and nothing wakes another one. */
    SendResult answered(final SendResult result) {
        readiness.isWritable(result != SendResult.WOULD_BLOCK && result != SendResult.NO_BUFFERS);
        return result;
    }

    @Override
    public SendResult send(final ByteBuffer datagram, final InetSocketAddress destination, final long timeoutNs) {
        final long deadlineNs = System.nanoTime() + timeoutNs;
        SendResult result = send(datagram, destination);
        try {
            int spins = 0;
            while ((result == SendResult.WOULD_BLOCK || result == SendResult.NO_BUFFERS) && await(spins, deadlineNs)) {
                result = send(datagram, destination);
                spins = Readiness.next(spins);
            }
            return result;
        } finally {
            readiness.awake();
        }
    }

    @Override
    public boolean isOpening(final InetSocketAddress destination) {
        driver.enter();
        try {
            return sender.isOpening(checkOpen("isOpening"), destination);
        } finally {
            driver.leave();
        }
    }

    @Override
    public InetSocketAddress nameOf(final InetSocketAddress destination) {
        return driver.inside(inner -> {
            checkOpen("nameOf");
            return sender.nameOf(destination);
        });
    }

    @Override
    public @Nullable InetSocketAddress receive(final ByteBuffer target) {
        driver.enter();
        try {
            return receiver.receive(checkOpen("receive"), target);
        } finally {
            driver.leave();
        }
    }

    /** Receives where the next datagram has room; null where it has not, none is there, or the socket is closed. */
    @Nullable InetSocketAddress receiveWhole(final ByteBuffer target) {
        driver.enter();
        try {
            final Port bound = port;
            return bound == null ? null : receiver.receiveWhole(bound, target);
        } finally {
            driver.leave();
        }
    }

    @Override
    public @Nullable InetSocketAddress receive(final ByteBuffer target, final long timeoutNs) {
        final long deadlineNs = System.nanoTime() + timeoutNs;
        InetSocketAddress from = receive(target);
        try {
            for (int spins = 0; from == null && await(spins, deadlineNs); spins = Readiness.next(spins)) {
                from = receive(target);
            }
            return from;
        } finally {
            readiness.awake();
        }
    }

    @Override
    public boolean borrow(final BorrowedDatagram target) {
        driver.enter();
        try {
            return receiver.borrow(checkOpen("borrow"), target);
        } finally {
            driver.leave();
        }
    }

    @Override
    public void release(final BorrowedDatagram datagram) {
        driver.enter();
        try {
            receiver.release(datagram);
        } finally {
            driver.leave();
        }
    }

    @Override
    public int lastLength() {
        return receiver.lastLength();
    }

    @Override
    public boolean awaitReadable(final long timeoutNs) {
        final long deadlineNs = System.nanoTime() + timeoutNs;
        boolean isReadable = pending() > 0;
        try {
            for (int spins = 0; !isReadable && await(spins, deadlineNs); spins = Readiness.next(spins)) {
                isReadable = pending() > 0;
            }
            return isReadable;
        } finally {
            readiness.awake();
        }
    }

    /** Lets the driver work, and sleeps when that takes long; false when the time is over, or it is interrupted. */
    private boolean await(final int spins, final long deadlineNs) {
        final long nowNs = System.nanoTime();
        final long leftNs = deadlineNs - nowNs;
        if (leftNs <= 0 || Thread.currentThread().isInterrupted()) {
            return false;
        }
        if (driver.help(nowNs) == 0 && !Readiness.pause(spins)) {
            readiness.sleep(leftNs);
        }
        return true;
    }

    @Override
    public int pending() {
        return driver.inside(inner -> checkOpen("pending").pending());
    }

    @Override
    public int sendBufferBytes() {
        return driver.inside(inner -> checkOpen("sendBufferBytes").sendLimit());
    }

    @Override
    public int longestDatagram() {
        return driver.inside(inner -> checkOpen("longestDatagram").longestDatagram());
    }

    @Override
    public void sendBufferBytes(final int bytes) {
        checkSize("SO_SNDBUF", bytes);
        driver.inside(inner -> {
            checkOpen("sendBufferBytes").sendLimit(bytes);
            return bytes;
        });
    }

    @Override
    public int receiveBufferBytes() {
        return driver.inside(inner -> checkOpen("receiveBufferBytes").receiveLimit());
    }

    @Override
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

    @Override
    public RdpDriver driver() {
        return driver;
    }

    @Override
    public void watch(final @Nullable ReadyListener listener) {
        readiness.watch(listener);
    }

    @Override
    public int readyNow() {
        driver.enter();
        try {
            return readiness.now(port);
        } finally {
            driver.leave();
        }
    }

    // Inside the gate.

    SocketSender sender() {
        return sender;
    }

    Readiness readiness() {
        return readiness;
    }

    @Nullable Port port() {
        return port;
    }

    void closeInside() {
        if (port != null) {
            sender.close();
            closer.accept(this);
            port = null;
            readiness.close();
        }
    }

    @Override
    public void close() {
        driver.inside(inner -> {
            closeInside();
            return this;
        });
    }
}
