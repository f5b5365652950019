package io.vhca.harness.bench;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;

/**
 * Plain UDP datagrams over a non-blocking java.nio channel, one system call a datagram.
 *
 * <p>The receiver confirms every 8th datagram by a small one that carries its count; the sender keeps the window that
 * this leaves. What is lost is not sent again: after a pause without confirmation the sender takes what is missing for
 * lost, and only what the receiver counted is counted.
 */
final class UdpWire implements BenchWire {
    private static final int CONFIRM_EVERY = 8;
    private static final long LOST_NS = 2_000_000;
    private static final int BUFFER_BYTES = 4 << 20;
    private static final int MAX_BYTES = 65_000;
    private static final int BATCH = 64;

    private final DatagramChannel channel;
    private final ByteBuffer out = ByteBuffer.allocateDirect(MAX_BYTES);
    private final ByteBuffer in = ByteBuffer.allocateDirect(MAX_BYTES);

    UdpWire(final InetSocketAddress local, final InetSocketAddress peer) throws IOException {
        channel = DatagramChannel.open()
                .setOption(StandardSocketOptions.SO_RCVBUF, BUFFER_BYTES)
                .setOption(StandardSocketOptions.SO_SNDBUF, BUFFER_BYTES)
                .bind(local)
                .connect(peer);
        channel.configureBlocking(false);
    }

    @Override
    public long stream(final int sizeBytes, final int window, final long durationNs) {
        drain();
        long sent = 0;
        long confirmed = 0;
        long counted = 0;
        final long startNs = System.nanoTime();
        long movedNs = startNs;
        for (long nowNs = startNs; nowNs - startNs < durationNs; nowNs = System.nanoTime()) {
            boolean isIdle = true;
            while (sent - confirmed < window && send(sizeBytes)) {
                sent++;
                isIdle = false;
            }
            while (receive() >= Long.BYTES) {
                counted = Math.max(counted, in.getLong(0));
                confirmed = Math.max(confirmed, counted);
                movedNs = nowNs;
                isIdle = false;
            }
            if (isIdle) {
                if (nowNs - movedNs > LOST_NS) {
                    confirmed = sent;
                    movedNs = nowNs;
                }
                Thread.yield();
            }
        }
        return counted * sizeBytes;
    }

    @Override
    public long pingPong(final int sizeBytes, final long durationNs) {
        drain();
        long trips = 0;
        final long startNs = System.nanoTime();
        while (System.nanoTime() - startNs < durationNs) {
            while (!send(sizeBytes)) {
                Thread.yield();
            }
            final long sentNs = System.nanoTime();
            while (receive() < 0 && System.nanoTime() - sentNs < LOST_NS * 10) {
                Thread.yield();
            }
            trips++;
        }
        return trips;
    }

    @Override
    public void serve(final int sizeBytes, final boolean echo, final Stop until) {
        long count = 0;
        while (!until.now()) {
            int taken = 0;
            while (taken < BATCH && receive() >= 0) {
                taken++;
                if (echo) {
                    send(sizeBytes);
                } else if (++count % CONFIRM_EVERY == 0) {
                    out.putLong(0, count);
                    send(Long.BYTES);
                }
            }
            if (taken == 0) {
                Thread.yield();
            }
        }
    }

    private boolean send(final int bytes) {
        try {
            return channel.write(out.clear().limit(bytes)) > 0;
        } catch (final java.net.PortUnreachableException e) {
            return false;
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Length of the next datagram, -1 where there is none. */
    private int receive() {
        try {
            final int length = channel.read(in.clear());
            return length > 0 ? length : -1;
        } catch (final java.net.PortUnreachableException e) {
            return -1;
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void drain() {
        while (receive() >= 0) {
            // Left over from the round before.
        }
    }
}
