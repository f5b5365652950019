package io.vhca.ras.dump;

import io.vhca.api.SocketDeadline;
import io.vhca.ras.file.WholeTransfer;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.SocketChannel;
import java.time.Duration;

/** Sends a dump to {@code vhca dump receive}. The bond is long at work again; it knows of no target. Any thread. */
public final class DumpSender {
    private static final int CHUNK = 1 << 20;

    private DumpSender() {}

    /**
     * Sends a file, as it was opened.
     *
     * @param name     of the file at the other end, which numbers it where it has one of that name
     * @param patience for all of it
     * @return what the other end names it
     * @throws IOException where it is not there, does not take it, or not in time
     */
    public static String send(
            final DumpFile file, final String name, final InetSocketAddress to, final Duration patience)
            throws IOException {
        try (SocketChannel channel = SocketChannel.open();
                SocketDeadline deadline = new SocketDeadline(channel, patience)) {
            try {
                channel.connect(to);
                return send(file.channel(), name, channel);
            } catch (final IOException e) {
                if (deadline.hasPassed()) {
                    final SocketTimeoutException late =
                            new SocketTimeoutException("it was not taken within " + patience.toSeconds() + " s");
                    late.initCause(e);
                    throw late;
                }
                throw e;
            }
        }
    }

    private static String send(final FileChannel from, final String name, final SocketChannel to) throws IOException {
        final TransferDescriptor what = new TransferDescriptor(name, from.size());
        IOException unheard = new EOFException("the other end said nothing");
        try {
            WholeTransfer.write(to, ByteBuffer.wrap(what.head()));
            for (long at = 0; at < what.bytes(); ) {
                final long sent = from.transferTo(at, Math.min(CHUNK, what.bytes() - at), to);
                if (sent <= 0) {
                    throw new IOException("the dump became shorter while it was sent");
                }
                at += sent;
            }
        } catch (final IOException e) {
            // Who is refused before all is sent finds the reason nevertheless.
            unheard = e;
        }
        final String answer;
        try {
            answer = TransferDescriptor.readLine(to, TransferDescriptor.ANSWER);
        } catch (final IOException e) {
            unheard.addSuppressed(e);
            throw unheard;
        }
        if (answer.startsWith(TransferDescriptor.ERROR)) {
            throw new IOException(answer.substring(TransferDescriptor.ERROR.length()));
        }
        return answer.replaceFirst("^ok ", "");
    }
}
