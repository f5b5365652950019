package io.vhca.harness.bench.wire;

import io.vhca.rdp.RdpSocket;
import io.vhca.rdp.RdpSockets;
import io.vhca.rdp.engine.SendResult;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Reliable datagrams of one socket. How many may be on their way is the driver's to say. A stream ends with a datagram
 * of one byte, which the far end sends back when all before it are there: until then it is measured. One thread, which
 * gives the driver turns where that is in this process; it closes nothing.
 */
final class RdpWire implements BenchWire {
    private static final int BUFFER_BYTES = 1 << 20;
    private static final int LAST_BYTES = 1;
    /** Sends between two looks at the clock. */
    private static final int BATCH = 16;

    private final RdpSockets sockets;
    private final RdpSocket socket;
    /** Where the far end is; null where that speaks first. */
    private final @Nullable InetSocketAddress peer;
    private final ByteBuffer buffer = ByteBuffer.allocateDirect(BUFFER_BYTES);

    RdpWire(final RdpSockets sockets, final RdpSocket socket, final @Nullable InetSocketAddress peer) {
        this.sockets = sockets;
        this.socket = socket;
        this.peer = peer;
    }

    private InetSocketAddress peer() {
        if (peer == null) {
            throw new IllegalStateException("the end that serves was asked to measure");
        }
        return peer;
    }

    private boolean send(final int sizeBytes, final InetSocketAddress to) {
        buffer.clear().limit(sizeBytes);
        final SendResult result = socket.send(buffer, to);
        return switch (result) {
            case SENT -> true;
            case WOULD_BLOCK, NO_BUFFERS -> false;
            default -> throw new IllegalStateException("a datagram to " + to + " was " + result);
        };
    }

    private void sendSurely(final int sizeBytes, final InetSocketAddress to) {
        while (!send(sizeBytes, to)) {
            idle();
        }
    }

    private @Nullable InetSocketAddress receive() {
        buffer.clear();
        return socket.receive(buffer);
    }

    private void idle() {
        if (sockets.doWork(System.nanoTime()) == 0) {
            Thread.yield();
        }
    }

    private void await() {
        while (receive() == null) {
            idle();
        }
    }

    @Override
    public long stream(final int sizeBytes, final int window, final long durationNs) {
        final InetSocketAddress to = peer();
        long sent = 0;
        final long startNs = System.nanoTime();
        while (System.nanoTime() - startNs < durationNs) {
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
        return (long) ((double) sent * sizeBytes * durationNs / (System.nanoTime() - startNs));
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
                idle();
            } else if (echo || socket.lastLength() == LAST_BYTES) {
                sendSurely(socket.lastLength(), from);
            }
        }
    }
}
