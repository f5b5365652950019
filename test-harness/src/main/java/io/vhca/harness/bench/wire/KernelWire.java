package io.vhca.harness.bench.wire;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetSocketAddress;

/**
 * Datagrams of the kernel by calls that wait there: RDS, which is reliable, or UDP. A stream ends with a datagram of
 * one byte, which the far end sends back when it has come to it; until then it is measured. Of UDP the far end confirms
 * every eighth datagram, the sender keeps the window that this leaves, and only what was confirmed counts. One thread.
 */
final class KernelWire implements BenchWire, AutoCloseable {
    private static final int BUFFER_BYTES = 1 << 16;
    private static final int LAST_BYTES = 1;
    private static final int CONFIRM_EVERY = 8;

    private final SocketCalls socket;
    private final boolean isReliable;
    private final MemorySegment out;
    private final MemorySegment in;
    /** Of the ping that was sent last, in all rounds. */
    private long pinged;

    /** @param isReliable RDS, else UDP */
    KernelWire(final boolean isReliable, final InetSocketAddress own, final InetSocketAddress peer) {
        this.isReliable = isReliable;
        socket = new SocketCalls(isReliable, own, peer);
        out = socket.memory(BUFFER_BYTES);
        in = socket.memory(BUFFER_BYTES);
    }

    private void send(final int bytes) {
        while (!socket.send(out, bytes)) {
            // The kernel has waited for room; it does so again.
        }
    }

    @Override
    public long stream(final int sizeBytes, final int window, final long durationNs) {
        return isReliable ? reliableStream(sizeBytes, durationNs) : confirmedStream(sizeBytes, window, durationNs);
    }

    private long reliableStream(final int sizeBytes, final long durationNs) {
        long sent = 0;
        final long startNs = System.nanoTime();
        for (; System.nanoTime() - startNs < durationNs; sent++) {
            send(sizeBytes);
        }
        send(LAST_BYTES);
        while (socket.receive(in) < 0) {
            // Those before it are still on their way.
        }
        return (long) ((double) sent * durationNs / (System.nanoTime() - startNs)) * sizeBytes;
    }

    private long confirmedStream(final int sizeBytes, final int window, final long durationNs) {
        long sent = 0;
        long confirmed = 0;
        long counted = 0;
        drain();
        final long startNs = System.nanoTime();
        while (System.nanoTime() - startNs < durationNs) {
            if (sent - confirmed < window) {
                send(sizeBytes);
                sent++;
            } else if (socket.receive(in) == Long.BYTES) {
                counted = Math.max(counted, in.get(ValueLayout.JAVA_LONG, 0));
                confirmed = Math.max(confirmed, counted);
            } else {
                // Nothing came in time: what is missing was lost.
                confirmed = sent;
            }
        }
        return counted * sizeBytes;
    }

    @Override
    public long pingPong(final int sizeBytes, final long durationNs) {
        long trips = 0;
        drain();
        final long startNs = System.nanoTime();
        while (System.nanoTime() - startNs < durationNs) {
            out.set(ValueLayout.JAVA_LONG, 0, ++pinged);
            send(sizeBytes);
            int bytes = socket.receive(in);
            // The answer to one before it may come late, and is not its own.
            while (bytes < 0 ? isReliable : in.get(ValueLayout.JAVA_LONG, 0) != pinged) {
                bytes = socket.receive(in);
            }
            // One that was lost is no round trip.
            trips += bytes < 0 ? 0 : 1;
        }
        return trips;
    }

    @Override
    public void serve(final int sizeBytes, final boolean echo, final Stop until) {
        long counted = 0;
        while (!until.now()) {
            final int bytes = socket.receive(in);
            if (bytes < 0) {
                continue;
            }
            counted++;
            if (echo) {
                out.set(ValueLayout.JAVA_LONG, 0, in.get(ValueLayout.JAVA_LONG, 0));
                send(bytes);
            } else if (isReliable && bytes == LAST_BYTES) {
                send(LAST_BYTES);
            } else if (!isReliable && counted % CONFIRM_EVERY == 0) {
                out.set(ValueLayout.JAVA_LONG, 0, counted);
                send(Long.BYTES);
            }
        }
    }

    @Override
    public void drain() {
        while (socket.receive(in) >= 0) {
            // Left over from the round before.
        }
    }

    @Override
    public void close() {
        socket.close();
    }
}
