package io.vhca.exs;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ByteChannel;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.InterruptibleChannel;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.locks.ReentrantLock;

/**
 * An {@link ExsChannel} whose calls wait, as those of a blocking {@code SocketChannel} do. Who is interrupted while it
 * waits closes the channel: its call returns when the socket has let go of the buffer, which takes as long as the
 * socket lingers at most, and throws {@link ClosedByInterruptException}, or says what it has done if it was done by
 * then. The thread is an interrupted one still. Any thread: one that reads waits for another one's read, and one that
 * writes for the whole of another one's write.
 */
public final class ExsByteChannel implements ByteChannel, InterruptibleChannel {
    private final ExsChannel channel;
    private final ReentrantLock reading = new ReentrantLock();
    private final ReentrantLock writing = new ReentrantLock();

    ExsByteChannel(final ExsChannel channel) {
        this.channel = channel;
    }

    /** Waits for at least a byte; -1 at the end. */
    @Override
    public int read(final ByteBuffer into) throws IOException {
        enter(reading);
        try {
            return await(channel.read(into));
        } finally {
            reading.unlock();
        }
    }

    /** Writes all that is left in the buffer. */
    @Override
    public int write(final ByteBuffer from) throws IOException {
        enter(writing);
        try {
            return writeAll(from);
        } finally {
            writing.unlock();
        }
    }

    /** Who is interrupted while it waits for another one's call closes the channel too, which ends that one. */
    private void enter(final ReentrantLock call) throws IOException {
        if (call.tryLock()) {
            return;
        }
        try {
            call.lockInterruptibly();
        } catch (final InterruptedException e) {
            channel.close();
            Thread.currentThread().interrupt();
            throw (IOException) new ClosedByInterruptException().initCause(e);
        }
    }

    private int writeAll(final ByteBuffer from) throws IOException {
        int written = 0;
        while (from.hasRemaining()) {
            written += await(channel.write(from));
            if (from.hasRemaining() && Thread.currentThread().isInterrupted() && !isOpen()) {
                throw new ClosedByInterruptException(); // this part was done, the next one cannot be
            }
        }
        return written;
    }

    private int await(final Future<Integer> future) throws IOException {
        boolean isInterrupted = false;
        try {
            while (true) {
                try {
                    return future.get();
                } catch (final InterruptedException e) {
                    isInterrupted = true;
                    channel.close(); // and until that has ended the call, the buffer is the socket's
                }
            }
        } catch (final ExecutionException e) {
            if (isInterrupted) {
                throw (IOException) new ClosedByInterruptException().initCause(e.getCause());
            }
            throw e.getCause() instanceof final IOException cause ? cause : new IOException(e.getCause());
        } finally {
            if (isInterrupted) {
                Thread.currentThread().interrupt();
            }
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
    public void close() {
        channel.close();
    }
}
