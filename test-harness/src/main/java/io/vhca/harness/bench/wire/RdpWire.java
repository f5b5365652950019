package io.vhca.harness.bench.wire;

import io.vhca.rdp.RdpSocket;
import io.vhca.rdp.RdpSockets;
import io.vhca.rdp.common.RdpConfig;
import io.vhca.rdp.completion.SendCompletion;
import io.vhca.rdp.engine.BorrowedDatagram;
import io.vhca.rdp.engine.SendResult;
import io.vhca.rdp.shared.SharedDriver;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Reliable datagrams of one socket. How many may be on their way is the driver's to say. A stream ends with a datagram
 * of one byte, which the far end sends back when all before it are there: until then it is measured. As with queue
 * pairs, nobody looks at what arrives: it is borrowed where the driver is in this process, and long datagrams are sent
 * in place. One thread, which gives the driver turns where that is in this process; it closes nothing.
 */
final class RdpWire implements BenchWire {
    private static final int BUFFER_BYTES = 1 << 20;
    private static final int LAST_BYTES = 1;
    /** As a driver has it by default. */
    private static final int IN_PLACE_BYTES = RdpConfig.DEFAULT.inPlaceBytes();
    /** How long a wait takes at most before it is looked whether it is to end. */
    private static final long LOOK_NS = 10_000_000;
    /** So long a destination may be out of reach at first. */
    private static final long FIRST_CONNECT_NS = 60_000_000_000L;
    /** Sends between two looks at the clock. */
    private static final int BATCH = 16;

    private final RdpSockets sockets;
    private final RdpSocket socket;
    /** Where the far end is; null where that speaks first. */
    private final @Nullable InetSocketAddress peer;
    private final boolean isShared;
    private final boolean waits;
    /** Runs once a batch of a stream. */
    private final Runnable beside;
    private final MemorySegment memory = Arena.global().allocate(BUFFER_BYTES, 4096);
    private final ByteBuffer buffer = memory.asByteBuffer();
    private final BorrowedDatagram borrowed = new BorrowedDatagram();
    private final SendCompletion completion = new SendCompletion();
    private final long openedNs = System.nanoTime();
    private int lastLength;

    /**
     * @param waits  in the driver for what comes, instead of giving it turns without end
     * @param beside what this thread does besides while it streams
     */
    RdpWire(
            final RdpSockets sockets, final RdpSocket socket, final @Nullable InetSocketAddress peer,
            final boolean waits, final Runnable beside) {
        this.beside = beside;
        this.sockets = sockets;
        this.waits = waits;
        this.socket = socket;
        this.peer = peer;
        isShared = sockets instanceof SharedDriver;
    }

    private InetSocketAddress peer() {
        if (peer == null) {
            throw new IllegalStateException("the end that serves was asked to measure");
        }
        return peer;
    }

    private boolean send(final int sizeBytes, final InetSocketAddress to) {
        final SendResult result;
        if (sizeBytes >= IN_PLACE_BYTES && !waits) { // a send in place does not wait
            while (socket.poll(completion)) {
                // What is sent never changes: nobody waits for its completion.
            }
            result = socket.sendInPlace(memory.asSlice(0, sizeBytes), to, 0);
        } else {
            buffer.clear().limit(sizeBytes);
            result = waits ? socket.send(buffer, to, LOOK_NS) : socket.send(buffer, to);
        }
        return switch (result) {
            case SENT -> true;
            case WOULD_BLOCK, NO_BUFFERS -> false;
            case TOO_LONG -> throw new IllegalStateException(sizeBytes + " bytes are too long for a datagram");
            case UNREACHABLE -> {
                // A first connect may fail where code that runs for the first time takes seconds: it is tried again.
                if (System.nanoTime() - openedNs > FIRST_CONNECT_NS) {
                    throw new IllegalStateException("a datagram to " + to + " was " + result);
                }
                yield false;
            }
        };
    }

    private void sendSurely(final int sizeBytes, final InetSocketAddress to) {
        while (!send(sizeBytes, to)) {
            idle();
        }
    }

    /** Who sent the next datagram, of which {@link #lastLength} is left; null where there is none. */
    private @Nullable InetSocketAddress receive() {
        if (isShared) {
            final InetSocketAddress from = socket.receive(buffer.clear());
            lastLength = socket.lastLength();
            return from;
        }
        if (!socket.borrow(borrowed)) {
            return null;
        }
        final InetSocketAddress from = borrowed.source();
        lastLength = borrowed.lengthBytes();
        socket.release(borrowed);
        return from;
    }

    private void idle() {
        if (sockets.doWork(System.nanoTime()) == 0) {
            Thread.yield();
        }
    }

    private void await() {
        while (receive() == null) {
            awaitReadable();
        }
    }

    /** A driver in this process needs turns; who waits for another process' one is in its way while he polls. */
    private void awaitReadable() {
        if (isShared || waits) {
            socket.awaitReadable(LOOK_NS);
        } else {
            idle();
        }
    }

    @Override
    public long stream(final int sizeBytes, final int window, final long durationNs) {
        final InetSocketAddress to = peer();
        long sent = 0;
        final long startNs = System.nanoTime();
        while (System.nanoTime() - startNs < durationNs) {
            beside.run();
            for (int i = 0; i < BATCH; i++) {
                if (send(sizeBytes, to)) {
                    sent++;
                } else {
                    idle();
                }
            }
        }
        sendSurely(LAST_BYTES, to);
        await();
        return (long) ((double) sent * durationNs / (System.nanoTime() - startNs)) * sizeBytes;
    }

    @Override
    public long pingPong(final int sizeBytes, final long durationNs) {
        final InetSocketAddress to = peer();
        long trips = 0;
        final long startNs = System.nanoTime();
        for (; System.nanoTime() - startNs < durationNs; trips++) {
            sendSurely(sizeBytes, to);
            await();
        }
        return trips;
    }

    @Override
    public void drain() {
        while (receive() != null) {
            // Every round ends with an answer: there is nothing.
        }
    }

    @Override
    public void serve(final int sizeBytes, final boolean echo, final Stop until) {
        while (!until.now()) {
            final InetSocketAddress from = receive();
            if (from == null) {
                awaitReadable();
            } else if (echo || lastLength == LAST_BYTES) {
                sendSurely(lastLength, from);
            }
        }
    }
}
