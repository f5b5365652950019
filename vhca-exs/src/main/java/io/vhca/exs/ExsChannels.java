package io.vhca.exs;

import io.vhca.api.Errno;
import io.vhca.api.VerbsException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * Channels over the sockets of an {@link Exs}, as an {@code AsynchronousChannelGroup} is for those of the JDK: one
 * event queue and a thread that calls the completion handlers. What a handler throws goes to the thread's handler of
 * uncaught exceptions, and the thread goes on. Where the Exs has no thread, this one drives the sockets too.
 */
public final class ExsChannels implements AutoCloseable {
    /** Calls that wait at once, of all channels. */
    static final int DEPTH = 4_096;

    private static final int BATCH = 64;
    private static final long LOOK_NS = TimeUnit.MILLISECONDS.toNanos(50);

    private final Exs exs;
    private final ExsQueue queue;
    private final Thread thread;
    private volatile boolean isClosed;

    /** Who waits for an event. Called by the channels' thread, and must not wait for another one. */
    @FunctionalInterface
    interface Awaiting {
        void completed(ExsEvent event);
    }

    /** Takes connections; {@link #accept} as often as there should be some. */
    public final class Listener implements AutoCloseable {
        private final ExsSocket socket;

        private Listener(final ExsSocket socket) {
            this.socket = socket;
        }

        /** Where it listens. */
        public InetSocketAddress address() {
            return Objects.requireNonNull(socket.localAddress());
        }

        /** The next connection. The future fails where the listener is closed by then, or its device is gone. */
        public CompletableFuture<ExsChannel> accept() {
            final CompletableFuture<ExsChannel> future = new CompletableFuture<>();
            final Awaiting awaiting = event -> {
                final ExsSocket accepted = event.accepted();
                if (accepted == null) {
                    future.completeExceptionally(failure("accept", event.errno(), event.socket()));
                } else {
                    future.complete(new ExsChannel(accepted, queue));
                }
            };
            try {
                refuse("accept", socket.accept(queue, awaiting), socket, future);
            } catch (final VerbsException e) {
                future.completeExceptionally(new IOException(e.getMessage(), e));
            }
            return future;
        }

        /** Accepts that wait fail. */
        @Override
        public void close() {
            socket.close();
        }
    }

    public ExsChannels(final Exs exs) {
        this.exs = exs;
        queue = exs.qcreate(DEPTH);
        thread = Thread.ofPlatform().name("vhca-exs-channels").daemon().unstarted(this::run);
        thread.start();
    }

    private void run() {
        final ExsEvent[] events = new ExsEvent[BATCH];
        for (int i = 0; i < BATCH; i++) {
            events[i] = new ExsEvent();
        }
        while (!isClosed) {
            final int taken = queue.qdequeue(events, LOOK_NS);
            for (int i = 0; i < taken; i++) {
                if (events[i].cookie() instanceof final Awaiting awaiting) {
                    complete(awaiting, events[i]);
                }
            }
        }
    }

    /** A handler that throws ends neither the thread nor the others that wait. */
    private void complete(final Awaiting awaiting, final ExsEvent event) {
        try {
            awaiting.completed(event);
        } catch (final Throwable e) {
            thread.getUncaughtExceptionHandler().uncaughtException(thread, e);
        }
    }

    /** Connects. Where nothing comes of it, be it that the call is refused at once, the future fails. */
    public CompletableFuture<ExsChannel> connect(final InetSocketAddress peer) {
        final CompletableFuture<ExsChannel> future = new CompletableFuture<>();
        final ExsSocket socket = exs.socket(SocketType.STREAM);
        final Awaiting awaiting = event -> {
            if (event.errno() == 0) {
                future.complete(new ExsChannel(socket, queue));
            } else {
                future.completeExceptionally(failure("connect", event.errno(), socket));
                socket.close();
            }
        };
        boolean isBegun = false;
        try {
            isBegun = refuse("connect", socket.connect(peer, queue, awaiting), socket, future);
        } catch (final VerbsException e) {
            future.completeExceptionally(new IOException(e.getMessage(), e));
        } finally {
            if (!isBegun) {
                socket.close();
            }
        }
        return future;
    }

    /** Listens at an own address. */
    public Listener listen(final InetSocketAddress address, final int backlog) {
        final ExsSocket socket = exs.socket(SocketType.STREAM);
        boolean isListening = false;
        try {
            socket.bind(address);
            socket.listen(backlog);
            isListening = true;
            return new Listener(socket);
        } finally {
            if (!isListening) {
                socket.close();
            }
        }
    }

    /** Fails the future of a call that the socket refused by its answer; true where it did not. */
    private static boolean refuse(
            final String call, final int result, final ExsSocket socket, final CompletableFuture<?> future) {
        if (result < 0) {
            future.completeExceptionally(failure(call, -result, socket));
        }
        return result >= 0;
    }

    static IOException failure(final String call, final int errno, final ExsSocket socket) {
        final String why = socket.failure();
        return new IOException(call + " on " + socket + " failed (" + Errno.name(errno) + ")"
                + (why.isEmpty() ? "" : ": " + why));
    }

    /** Ends the thread; handlers of what is under way are not called any more. Close the channels before. */
    @Override
    public void close() {
        isClosed = true;
        ExsThread.join(thread);
    }
}
