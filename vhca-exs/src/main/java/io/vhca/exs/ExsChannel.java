package io.vhca.exs;

import io.vhca.api.Errno;
import io.vhca.api.VerbsException;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousByteChannel;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.CompletionHandler;
import java.nio.channels.ReadPendingException;
import java.nio.channels.WritePendingException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A stream socket as a channel. Direct buffers are sent and received where they are, heap buffers by way of a direct
 * one, 64 KB at a time. {@link java.nio.channels.Channels} makes streams of it; {@link #blocking} a blocking channel.
 * Any thread; one read and one write at a time. Where the future of a read, or of a write, is cancelled, nobody can say
 * what it did: no further one begins.
 */
public final class ExsChannel implements AsynchronousByteChannel {
    private static final int STAGING_BYTES = 1 << 16;

    private final ExsSocket socket;
    private final ExsQueue queue;
    private final Consumer<ExsSocket> onClose;
    private final ExsByteChannel blocking = new ExsByteChannel(this);
    private final AtomicBoolean isReading = new AtomicBoolean();
    private final AtomicBoolean isWriting = new AtomicBoolean();
    private volatile boolean isReadCancelled;
    private volatile boolean isWriteCancelled;
    private volatile boolean isClosed;
    private @Nullable ByteBuffer readStaging;
    private @Nullable ByteBuffer writeStaging;

    /** @param onClose is told first; again where it is closed again */
    ExsChannel(final ExsSocket socket, final ExsQueue queue, final Consumer<ExsSocket> onClose) {
        this.socket = socket;
        this.queue = queue;
        this.onClose = onClose;
    }

    /** The socket under it. */
    public ExsSocket socket() {
        return socket;
    }

    /** The result of a call without a handler. */
    private final class Result extends CompletableFuture<Integer> implements CompletionHandler<Integer, Result> {
        private final Runnable onCancel;

        private Result(final Runnable onCancel) {
            this.onCancel = onCancel;
        }

        @Override
        public void completed(final Integer bytes, final Result same) {
            complete(bytes);
        }

        @Override
        public void failed(final Throwable cause, final Result same) {
            completeExceptionally(cause);
        }

        /** The call goes on in the buffer; what it reads or writes is lost to who cancels it. */
        @Override
        public boolean cancel(final boolean mayInterruptIfRunning) {
            final boolean isCancelled = !isDone() && super.cancel(mayInterruptIfRunning);
            if (isCancelled) {
                onCancel.run();
                if (mayInterruptIfRunning) {
                    close();
                }
            }
            return isCancelled;
        }
    }

    @Override
    public Future<Integer> read(final ByteBuffer into) {
        final Result result = new Result(() -> isReadCancelled = true);
        read(into, result, result);
        return result;
    }

    /**
     * Reads what is there, at least a byte; -1 at the end.
     *
     * @throws IllegalStateException a read was cancelled
     */
    @Override
    public <A> void read(
            final ByteBuffer into, final A attachment, final CompletionHandler<Integer, ? super A> handler) {
        if (into.isReadOnly()) {
            throw new IllegalArgumentException("a read-only buffer takes nothing");
        }
        mustGoOn("read", isReadCancelled);
        if (!isReading.compareAndSet(false, true)) {
            throw new ReadPendingException();
        }
        if (!into.hasRemaining()) {
            isReading.set(false);
            handler.completed(0, attachment);
            return;
        }
        begin("read", isReading, () -> receive(into, attachment, handler), attachment, handler);
    }

    private <A> long receive(
            final ByteBuffer into, final A attachment, final CompletionHandler<Integer, ? super A> handler) {
        final ByteBuffer from = into.isDirect() ? into : readStaging(into.remaining());
        final ExsChannels.Awaiting awaiting = event -> {
            final int bytes = (int) event.bytes();
            if (event.errno() == 0 && from != into) {
                into.put(from.slice(0, bytes));
            } else {
                into.position(into.position() + bytes);
            }
            isReading.set(false);
            ended("read", event.errno(), bytes == 0 ? -1 : bytes, attachment, handler);
        };
        return socket.recv(MemorySegment.ofBuffer(from), 0, queue, awaiting);
    }

    private void mustGoOn(final String call, final boolean isCancelled) {
        if (isCancelled && !isClosed) {
            throw new IllegalStateException("a " + call + " was cancelled, and nobody knows how far it got; close it");
        }
    }

    private ByteBuffer readStaging(final int most) {
        ByteBuffer staging = readStaging;
        if (staging == null) {
            staging = ByteBuffer.allocateDirect(STAGING_BYTES);
            readStaging = staging;
        }
        return staging.clear().limit(Math.min(most, STAGING_BYTES));
    }

    @Override
    public Future<Integer> write(final ByteBuffer from) {
        final Result result = new Result(() -> isWriteCancelled = true);
        write(from, result, result);
        return result;
    }

    /**
     * Writes what is left in the buffer, of a heap buffer 64 KB at most.
     *
     * @throws IllegalStateException a write was cancelled
     */
    @Override
    public <A> void write(
            final ByteBuffer from, final A attachment, final CompletionHandler<Integer, ? super A> handler) {
        mustGoOn("write", isWriteCancelled);
        if (!isWriting.compareAndSet(false, true)) {
            throw new WritePendingException();
        }
        begin("write", isWriting, () -> send(from, attachment, handler), attachment, handler);
    }

    private <A> long send(
            final ByteBuffer from, final A attachment, final CompletionHandler<Integer, ? super A> handler) {
        final ByteBuffer sent = from.isDirect() ? from.slice() : staged(from);
        final ExsChannels.Awaiting awaiting = event -> {
            final int bytes = (int) event.bytes();
            from.position(from.position() + bytes);
            isWriting.set(false);
            ended("write", event.errno(), bytes, attachment, handler);
        };
        return socket.send(MemorySegment.ofBuffer(sent), 0, queue, awaiting);
    }

    private ByteBuffer staged(final ByteBuffer from) {
        ByteBuffer staging = writeStaging;
        if (staging == null) {
            staging = ByteBuffer.allocateDirect(STAGING_BYTES);
            writeStaging = staging;
        }
        final int length = Math.min(from.remaining(), STAGING_BYTES);
        staging.clear().put(from.slice(from.position(), length)).flip();
        return staging;
    }

    /** Makes a call that the socket may refuse, by its answer or by an exception: the flag is down again then. */
    private <A> void begin(
            final String call, final AtomicBoolean isOn, final LongSupplier made, final A attachment,
            final CompletionHandler<Integer, ? super A> handler) {
        long refused = -Errno.EPIPE;
        @Nullable VerbsException why = null;
        boolean isBegun = false;
        try {
            refused = isClosed ? -Errno.EPIPE : made.getAsLong();
            isBegun = refused >= 0;
        } catch (final VerbsException e) {
            why = e;
        } finally {
            if (!isBegun) {
                isOn.set(false); // before the handler is called, which may make the next call
            }
        }
        if (why != null) {
            handler.failed(new IOException(why.getMessage(), why), attachment);
        } else if (!isBegun) {
            ended(call, (int) -refused, 0, attachment, handler);
        }
    }

    private <A> void ended(
            final String call, final int errno, final int bytes, final A attachment,
            final CompletionHandler<Integer, ? super A> handler) {
        if (errno == 0) {
            handler.completed(bytes, attachment);
        } else if (isClosed) {
            handler.failed(
                    errno == Errno.EPIPE ? new ClosedChannelException() : new AsynchronousCloseException(),
                    attachment);
        } else {
            handler.failed(ExsChannels.failure(call, errno, socket), attachment);
        }
    }

    /** Sends nothing more; the peer reads the end. */
    public void shutdownOutput() {
        socket.shutdown();
    }

    /** The same connection for who waits: reads and writes return when they are done. The same object each time. */
    public ExsByteChannel blocking() {
        return blocking;
    }

    @Override
    public boolean isOpen() {
        return !isClosed;
    }

    /** What was written goes on being sent; a read that waits fails. */
    @Override
    public void close() {
        isClosed = true;
        onClose.accept(socket);
        socket.close();
    }
}
