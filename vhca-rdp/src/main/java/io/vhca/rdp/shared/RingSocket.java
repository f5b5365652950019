package io.vhca.rdp.shared;

import io.vhca.api.Errno;
import io.vhca.api.VerbsException;
import io.vhca.rdp.RdpPoller;
import io.vhca.rdp.RdpSocket;
import io.vhca.rdp.RdpSockets;
import io.vhca.rdp.ReadyListener;
import io.vhca.rdp.completion.CompletionRing;
import io.vhca.rdp.completion.SendCompletion;
import io.vhca.rdp.engine.BorrowedDatagram;
import io.vhca.rdp.engine.SendResult;
import io.vhca.rdp.memory.SendMemory;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;

/** A socket of a driver that all processes share. Any thread; the calls of all sockets exclude each other. */
final class RingSocket implements RdpSocket {
    private static final SendResult[] RESULTS = SendResult.values();

    private final SharedDriver driver;
    private final SocketSeat seat;
    private final UnsafeBuffer view = new UnsafeBuffer(0, 0);
    private final CompletionRing completions = new CompletionRing();
    private volatile int lastLength;
    private volatile boolean hasCompletion;

    RingSocket(final SharedDriver driver, final SocketSeat seat) {
        this.driver = driver;
        this.seat = seat;
    }

    SocketSeat seat() {
        return seat;
    }

    @Override
    public InetSocketAddress localAddress() {
        seat.checkOpen("localAddress");
        return seat.address();
    }

    private static void check(final InetSocketAddress destination) {
        if (destination.isUnresolved()) {
            throw new VerbsException(
                    "send", Errno.EINVAL, "socket of a shared driver", "nobody knows an address of " + destination);
        }
    }

    @Override
    public SendResult send(final ByteBuffer datagram, final InetSocketAddress destination) {
        driver.lock();
        try {
            view.wrap(datagram, datagram.position(), datagram.remaining());
            final SendResult result = sendLocked(view, 0, datagram.remaining(), destination);
            if (result == SendResult.SENT) {
                datagram.position(datagram.limit());
            }
            return result;
        } finally {
            driver.unlock();
        }
    }

    @Override
    public SendResult send(
            final DirectBuffer buffer, final int offset, final int lengthBytes, final InetSocketAddress destination) {
        buffer.boundsCheck(offset, lengthBytes);
        driver.lock();
        try {
            return sendLocked(buffer, offset, lengthBytes, destination);
        } finally {
            driver.unlock();
        }
    }

    private SendResult sendLocked(
            final DirectBuffer buffer, final int offset, final int lengthBytes, final InetSocketAddress destination) {
        check(destination);
        final ClientCalls calls = seat.calls("send");
        if (lengthBytes > calls.longest()) {
            return SendResult.TOO_LONG;
        }
        return RESULTS[calls.send(seat.number(), destination, buffer, offset, lengthBytes)];
    }

    @Override
    public SendResult sendInPlace(
            final MemorySegment datagram, final InetSocketAddress destination, final long token) {
        SendMemory.check(datagram, driver.address());
        driver.lock();
        try {
            view.wrap(datagram.address(), (int) datagram.byteSize());
            final SendResult result = sendLocked(view, 0, (int) datagram.byteSize(), destination);
            if (result == SendResult.SENT) {
                completions.add(token, false);
                hasCompletion = true;
                seat.tellListener();
            }
            return result;
        } finally {
            driver.unlock();
        }
    }

    @Override
    public boolean poll(final SendCompletion target) {
        driver.lock();
        try {
            seat.checkOpen("poll");
            final boolean isThere = completions.poll(target);
            hasCompletion = !completions.isEmpty();
            return isThere;
        } finally {
            driver.unlock();
        }
    }

    @Override
    public SendResult send(final ByteBuffer datagram, final InetSocketAddress destination, final long timeoutNs) {
        final long deadlineNs = System.nanoTime() + timeoutNs;
        SendResult result = send(datagram, destination);
        while ((result == SendResult.WOULD_BLOCK || result == SendResult.NO_BUFFERS)
                && seat.await("send", RdpPoller.WRITABLE, deadlineNs)) {
            result = send(datagram, destination);
        }
        return result;
    }

    @Override
    public boolean isOpening(final InetSocketAddress destination) {
        check(destination);
        driver.lock();
        try {
            return seat.calls("isOpening").call(CallVerb.IS_OPENING, seat.number(), destination) != 0;
        } finally {
            driver.unlock();
        }
    }

    @Override
    public InetSocketAddress nameOf(final InetSocketAddress destination) {
        check(destination);
        driver.lock();
        try {
            return seat.calls("nameOf").nameOf(seat.number(), destination);
        } finally {
            driver.unlock();
        }
    }

    @Override
    public @Nullable InetSocketAddress receive(final ByteBuffer target) {
        if ((seat.readyNow() & RdpPoller.READABLE) == 0) {
            seat.checkOpen("receive");
            return null;
        }
        driver.lock();
        try {
            final ClientCalls calls = seat.calls("receive");
            final InetSocketAddress left = takeLeft(calls, target);
            return left != null ? left : ask(calls, target);
        } finally {
            driver.unlock();
        }
    }

    /** What the driver has left for this socket; null where that is nothing. */
    private @Nullable InetSocketAddress takeLeft(final ClientCalls calls, final ByteBuffer target) {
        final int length = calls.leftBytes(seat.number());
        if (length < 0) {
            return null;
        }
        lastLength = length;
        return calls.takeLeft(seat.number(), target, Math.min(length, target.remaining()));
    }

    private @Nullable InetSocketAddress ask(final ClientCalls calls, final ByteBuffer target) {
        final long length = calls.ask(CallVerb.RECEIVE, seat.number(), target.remaining());
        InetSocketAddress from = null;
        if (length >= 0) {
            from = calls.address();
            lastLength = (int) length;
            // The driver has cut it to the room that it was told of.
            calls.buffer().getBytes(calls.dataOffset(), target, Math.min(calls.dataBytes(), target.remaining()));
        }
        calls.finish();
        return length == AnswerDescriptor.IN_SLOT ? takeLeft(calls, target) : from;
    }

    @Override
    public @Nullable InetSocketAddress receive(final ByteBuffer target, final long timeoutNs) {
        final long deadlineNs = System.nanoTime() + timeoutNs;
        InetSocketAddress from = receive(target);
        while (from == null && seat.await("receive", RdpPoller.READABLE, deadlineNs)) {
            from = receive(target);
        }
        return from;
    }

    @Override
    public boolean borrow(final BorrowedDatagram target) {
        throw new VerbsException(
                "borrow", Errno.EOPNOTSUPP, "socket of " + driver.address(),
                "the buffers of a shared driver are not this process's; receive copies, or open an RdpDriver here");
    }

    @Override
    public void release(final BorrowedDatagram datagram) {
        // None is ever borrowed of this socket.
    }

    @Override
    public int lastLength() {
        return lastLength;
    }

    @Override
    public boolean awaitReadable(final long timeoutNs) {
        seat.checkOpen("awaitReadable");
        return seat.await("awaitReadable", RdpPoller.READABLE, System.nanoTime() + timeoutNs);
    }

    private int ask(final String name, final CallVerb verb, final long argument) {
        driver.lock();
        try {
            return (int) seat.calls(name).call(verb, seat.number(), argument);
        } finally {
            driver.unlock();
        }
    }

    @Override
    public int pending() {
        return ask("pending", CallVerb.PENDING, 0);
    }

    @Override
    public int sendBufferBytes() {
        return ask("sendBufferBytes", CallVerb.SEND_BUFFER, 0);
    }

    private void set(final String name, final CallVerb option, final int bytes) {
        driver.lock();
        try {
            ask(name, option, bytes);
            seat.keep(option, bytes);
        } finally {
            driver.unlock();
        }
    }

    @Override
    public void sendBufferBytes(final int bytes) {
        set("sendBufferBytes", CallVerb.SET_SEND_BUFFER, bytes);
    }

    @Override
    public int longestDatagram() {
        return ask("longestDatagram", CallVerb.LONGEST_DATAGRAM, 0);
    }

    @Override
    public int receiveBufferBytes() {
        return ask("receiveBufferBytes", CallVerb.RECEIVE_BUFFER, 0);
    }

    @Override
    public void receiveBufferBytes(final int bytes) {
        set("receiveBufferBytes", CallVerb.SET_RECEIVE_BUFFER, bytes);
    }

    @Override
    public RdpSockets driver() {
        return driver;
    }

    @Override
    public void watch(final @Nullable ReadyListener listener) {
        seat.watch(listener);
    }

    @Override
    public int readyNow() {
        return seat.readyNow() | (hasCompletion ? RdpPoller.COMPLETED : 0);
    }

    @Override
    public void close() {
        driver.lock();
        try {
            seat.close();
        } finally {
            driver.unlock();
        }
    }
}
