package io.vhca.exs;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.ByteChannel;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;

/** An {@link ExsChannel} whose calls wait, as those of a blocking {@code SocketChannel} do. Any thread. */
public final class ExsByteChannel implements ByteChannel {
    private final ExsChannel channel;

    ExsByteChannel(final ExsChannel channel) {
        this.channel = channel;
    }

    /** Waits for at least a byte; -1 at the end. */
    @Override
    public int read(final ByteBuffer into) throws IOException {
        return await(channel.read(into));
    }

    /** Writes all that is left in the buffer. */
    @Override
    public int write(final ByteBuffer from) throws IOException {
        int written = 0;
        while (from.hasRemaining()) {
            written += await(channel.write(from));
        }
        return written;
    }

    private static int await(final Future<Integer> future) throws IOException {
        try {
            return future.get();
        } catch (final ExecutionException e) {
            throw e.getCause() instanceof final IOException cause ? cause : new IOException(e.getCause());
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted while waiting for the peer");
        }
    }

    /** Sends nothing more; the peer reads the end. */
    public void shutdownOutput() {
        channel.shutdownOutput();
    }

    @Override
    public boolean isOpen() {
        return channel.isOpen();
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
