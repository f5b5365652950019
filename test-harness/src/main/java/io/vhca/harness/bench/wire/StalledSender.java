package io.vhca.harness.bench.wire;

import io.vhca.rdp.RdpSocket;
import io.vhca.rdp.RdpSockets;
import io.vhca.rdp.engine.SendResult;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;

/**
 * A socket that sends to one whose owner does not read. The first turn sends until it is refused for a while; after
 * that it tries once a millisecond. What is taken in all is no more than the other socket may hold. The thread that
 * gives the driver turns; it closes nothing.
 */
final class StalledSender implements Runnable {
    private static final int BYTES = 1 << 10;
    /** Far more than a socket that nobody reads may hold. */
    private static final long MOST_SENT = (64L << 20) / BYTES;
    /** Refused for so long, it is stalled: what it had sent has arrived. */
    private static final long REFUSED_NS = 100_000_000;
    private static final long TRY_NS = 1_000_000;
    /** So long the destination may take to be reached at first. */
    private static final long PATIENCE_NS = 60_000_000_000L;

    private final RdpSockets sockets;
    private final RdpSocket socket;
    private final InetSocketAddress to;
    private final ByteBuffer buffer = ByteBuffer.allocateDirect(BYTES);
    private long sent;
    private boolean isStalled;
    private long nextNs;

    StalledSender(final RdpSockets sockets, final RdpSocket socket, final InetSocketAddress to) {
        this.sockets = sockets;
        this.socket = socket;
        this.to = to;
    }

    @Override
    public void run() {
        if (!isStalled) {
            stall();
        }
        final long nowNs = System.nanoTime();
        if (nowNs - nextNs >= 0) {
            nextNs = nowNs + TRY_NS;
            isSent();
        }
    }

    private boolean isSent() {
        if (socket.send(buffer.clear(), to) != SendResult.SENT) {
            return false;
        }
        if (++sent > MOST_SENT) {
            throw new IllegalStateException("nobody reads at " + to + ", and it has taken " + sent + " datagrams");
        }
        return true;
    }

    private void stall() {
        long sinceNs = System.nanoTime();
        while (System.nanoTime() - sinceNs < (sent == 0 ? PATIENCE_NS : REFUSED_NS)) {
            if (isSent()) {
                sinceNs = System.nanoTime();
            }
            sockets.doWork(System.nanoTime());
        }
        if (sent == 0) {
            throw new IllegalStateException("no datagram to " + to + " was taken");
        }
        isStalled = true;
        nextNs = System.nanoTime();
    }
}
