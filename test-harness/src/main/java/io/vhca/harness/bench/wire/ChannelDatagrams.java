package io.vhca.harness.bench.wire;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.PortUnreachableException;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;

/** A non-blocking java.nio channel, one system call a datagram. */
final class ChannelDatagrams implements Datagrams {
    private static final int BUFFER_BYTES = 4 << 20;
    private static final int MAX_BYTES = 65_000;
    private static final int BATCH = 64;

    private final DatagramChannel channel;
    private final ByteBuffer out = ByteBuffer.allocateDirect(MAX_BYTES);
    private final ByteBuffer in = ByteBuffer.allocateDirect(MAX_BYTES);

    ChannelDatagrams(final InetSocketAddress local, final InetSocketAddress peer) throws IOException {
        channel = DatagramChannel.open()
                .setOption(StandardSocketOptions.SO_RCVBUF, BUFFER_BYTES)
                .setOption(StandardSocketOptions.SO_SNDBUF, BUFFER_BYTES)
                .bind(local)
                .connect(peer);
        channel.configureBlocking(false);
    }

    @Override
    public boolean send(final long number, final int bytes) {
        try {
            return channel.write(out.clear().putLong(0, number).limit(bytes)) > 0;
        } catch (final PortUnreachableException e) {
            return false;
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void flush() {
        // Each went by itself.
    }

    @Override
    public int receive(final Taker taker) {
        int count = 0;
        for (int bytes = read(); bytes > 0; bytes = read()) {
            taker.take(bytes >= Long.BYTES ? in.getLong(0) : 0, bytes);
            if (++count == BATCH) {
                break;
            }
        }
        return count;
    }

    private int read() {
        try {
            return channel.read(in.clear());
        } catch (final PortUnreachableException e) {
            return 0;
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        try {
            channel.close();
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
