package io.vhca.exs;

import io.vhca.api.Errno;
import io.vhca.api.Uninterrupted;
import io.vhca.api.VerbsException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Channels over the sockets of an {@link Exs}, as an {@code AsynchronousChannelGroup} is for those of the JDK: one
 * event queue and a thread that calls the completion handlers. What a handler throws goes to the thread's handler of
 * uncaught exceptions, and the thread goes on. Where the Exs has no thread, this one drives the sockets too: what is
 * thrown there ends them, and their calls. Owns the channels and listeners that came from it. Any thread.
 */
public final class ExsChannels implements AutoCloseable {
    /** Calls that wait at once, of all channels. */
    static final int DEPTH = 4_096;

    private static final int BATCH = 64;
    private static final long LOOK_NS = TimeUnit.MILLISECONDS.toNanos(50);
    private static final Duration EXIT_LOOK = Duration.ofMillis(50);

    private final Exs exs;
    private final ExsQueue queue;
    private final Thread thread;
    /** What is open, by its socket, and how it is closed: listeners, channels, and what connects. */
    private final Map<ExsSocket, Runnable> open = new ConcurrentHashMap<>();
    private volatile boolean isClosed;
    /** Nothing begins any more: what waits is all that the thread has to do. */
    private volatile boolean isAllClosed;

    /** Who waits for an event. Called by the channels' thread, and must not wait for another one. */
    @FunctionalInterface
    interface Awaiting {
        void completed(ExsEvent event);
    }

    /** Takes connections; {@link #accept} as often as there should be some. */
    public final class Listener implements AutoCloseable {
        private final ExsSocket socket;
        /** Who waits for a connection, in order, and connections that nobody waited for any more. Guarded by this. */
        private final Deque<CompletableFuture<ExsChannel>> waiting = new ArrayDeque<>();
        private final Deque<ExsChannel> kept = new ArrayDeque<>();
        private int asked; // accepts of the socket that have not ended
        private boolean isListenerClosed;

        private Listener(final ExsSocket socket) {
            this.socket = socket;
        }

        /** Where it listens. */
        public InetSocketAddress address() {
            return Objects.requireNonNull(socket.localAddress());
        }

        /**
         * The next connection. The future fails where the listener is closed by then, or its device is gone. Where it
         * is cancelled, or its time is over, the connection is the next one's.
         */
        public CompletableFuture<ExsChannel> accept() {
            final CompletableFuture<ExsChannel> future = new CompletableFuture<>();
            final ExsChannel here = keptFor(future);
            if (here != null) {
                future.complete(here);
            } else if (mustAsk()) {
                ask(future);
            }
            return future;
        }

        /** A connection that is there, or null: the future waits for one. */
        private synchronized @Nullable ExsChannel keptFor(final CompletableFuture<ExsChannel> future) {
            if (kept.isEmpty()) {
                waiting.add(future);
            }
            return kept.poll();
        }

        /** Whether more futures wait than accepts of the socket: one more is counted then. */
        private synchronized boolean mustAsk() {
            waiting.removeIf(CompletableFuture::isDone);
            final boolean isLacking = asked < waiting.size();
            asked += isLacking ? 1 : 0;
            return isLacking;
        }

        private void ask(final CompletableFuture<ExsChannel> future) {
            final Awaiting awaiting = this::ended;
            boolean isAsked = false;
            try {
                isAsked = refuse("accept", socket.accept(queue, awaiting), socket, future);
            } catch (final VerbsException e) {
                future.completeExceptionally(new IOException(e.getMessage(), e));
            } finally {
                if (!isAsked) {
                    answered();
                }
            }
        }

        private synchronized void answered() {
            asked--;
        }

        /** An accept of the socket has ended: its connection, or its failure, is for who waits longest. */
        private void ended(final ExsEvent event) {
            answered();
            final ExsSocket accepted = event.accepted();
            final ExsChannel made = accepted == null ? null : channel(accepted);
            boolean isTaken = false;
            while (!isTaken) {
                final CompletableFuture<ExsChannel> next = next(made);
                // Who was cancelled, or whose time was over, takes nothing.
                isTaken = next == null
                        || (made == null
                                ? next.completeExceptionally(failure("accept", event.errno(), event.socket()))
                                : next.complete(made));
            }
        }

        /** Who waits longest; where nobody does, the connection is kept for who asks next. */
        private synchronized @Nullable CompletableFuture<ExsChannel> next(final @Nullable ExsChannel made) {
            final CompletableFuture<ExsChannel> next = waiting.poll();
            if (next == null && made != null) {
                if (isListenerClosed) {
                    made.close();
                } else {
                    kept.add(made);
                }
            }
            return next;
        }

        /** Accepts that wait fail, and connections that nobody took are closed. */
        @Override
        public void close() {
            ExsChannels.this.close(socket);
            synchronized (this) {
                isListenerClosed = true;
                kept.forEach(ExsChannel::close);
                kept.clear();
            }
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
        while ((!isAllClosed && !queue.driver().isOver()) || queue.isAwaited()) {
            final int taken = take(events);
            if (taken == 0) {
                Thread.interrupted(); // whoever did that: it would never sleep again
            }
            for (int i = 0; i < taken; i++) {
                if (events[i].cookie() instanceof final Awaiting awaiting) {
                    complete(awaiting, events[i]);
                }
            }
        }
    }

    /**
     * Events of calls that have ended. Where a turn throws that this thread gives the sockets, nobody gives them
     * another one: all that waits ends, and the handler of uncaught exceptions hears of it.
     */
    private int take(final ExsEvent[] events) {
        try {
            return queue.qdequeue(events, LOOK_NS);
        } catch (final Throwable e) {
            abandon(e);
            tell(e);
            LockSupport.parkNanos(LOOK_NS); // where each look throws, none burns a processor
            return 0;
        }
    }

    private void abandon(final Throwable why) {
        try {
            if (!queue.driver().hasThread()) {
                queue.driver().abandon(why);
            }
        } catch (final Throwable e) {
            // As in a full heap: the next look throws again, and has another try.
        }
    }

    /** What the handler of uncaught exceptions throws itself is ignored, as by the JVM. */
    private void tell(final Throwable thrown) {
        try {
            thread.getUncaughtExceptionHandler().uncaughtException(thread, thrown);
        } catch (final Throwable e) {
            // There is nobody else to tell.
        }
    }

    /**
     * A handler that throws ends neither the thread nor the others that wait; one that leaves it interrupted would keep
     * it from ever sleeping again.
     */
    private void complete(final Awaiting awaiting, final ExsEvent event) {
        try {
            awaiting.completed(event);
        } catch (final Throwable e) {
            tell(e);
        } finally {
            Thread.interrupted();
        }
    }

    /** Connects. Where nothing comes of it, be it that the call is refused at once, the future fails. */
    public CompletableFuture<ExsChannel> connect(final InetSocketAddress peer) {
        final CompletableFuture<ExsChannel> future = new CompletableFuture<>();
        try {
            connect(socket("connect"), peer, future);
        } catch (final VerbsException e) {
            future.completeExceptionally(new IOException(e.getMessage(), e));
        }
        return future;
    }

    private void connect(
            final ExsSocket socket, final InetSocketAddress peer, final CompletableFuture<ExsChannel> future) {
        final Awaiting awaiting = event -> {
            if (event.errno() == 0) {
                final ExsChannel made = channel(socket);
                if (!future.complete(made)) {
                    made.close(); // it was cancelled, or its time was over: nobody else has the connection
                }
            } else {
                future.completeExceptionally(failure("connect", event.errno(), socket));
                close(socket);
            }
        };
        boolean isBegun = false;
        try {
            isBegun = refuse("connect", socket.connect(peer, queue, awaiting), socket, future);
        } finally {
            if (!isBegun) {
                close(socket);
            }
        }
    }

    private ExsSocket socket(final String call) {
        final ExsSocket socket = exs.socket(SocketType.STREAM);
        if (!own(socket, socket::close)) {
            throw new VerbsException(
                    call, Errno.EINVAL, socket.toString(), "its ExsChannels were closed; make others of the Exs");
        }
        return socket;
    }

    private ExsChannel channel(final ExsSocket socket) {
        final ExsChannel channel = new ExsChannel(socket, queue, open::remove);
        own(socket, channel::close);
        return channel;
    }

    /** False where all of them are being closed: this one is closed too then. */
    private boolean own(final ExsSocket socket, final Runnable close) {
        open.put(socket, close);
        if (isClosed) { // asked behind the put: close() looks behind saying so
            open.remove(socket);
            close.run();
        }
        return !isClosed;
    }

    private void close(final ExsSocket socket) {
        open.remove(socket);
        socket.close();
    }

    /** Listens at an own address. EINVAL once these channels are closed, and as {@link ExsSocket#listen}. */
    public Listener listen(final InetSocketAddress address, final int backlog) {
        final ExsSocket socket = socket("listen");
        boolean isListening = false;
        try {
            socket.bind(address);
            socket.listen(backlog);
            isListening = true;
            return new Listener(socket);
        } finally {
            if (!isListening) {
                close(socket);
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

    /**
     * Closes all its channels and listeners, and returns when every call of theirs has ended and its handler was
     * called: what was written is sent first, {@link ExsSetting#LINGER_MS} at most. A handler may call this too, which
     * does not wait then; nor is one waited for that ends the process. Idempotent.
     */
    @Override
    public void close() {
        isClosed = true;
        List.copyOf(open.values()).forEach(Runnable::run);
        isAllClosed = true;
        if (Thread.currentThread() != thread) {
            Uninterrupted.await(this::awaitEnd);
        }
    }

    /** A handler that ends the process does not return: it waits for the hooks, one of which may be who closes. */
    private void awaitEnd() throws InterruptedException {
        while (!thread.join(EXIT_LOOK) && !isExiting()) {
            // Until one of both.
        }
    }

    private boolean isExiting() {
        return Arrays.stream(thread.getStackTrace())
                .anyMatch(frame -> frame.getClassName().equals(Runtime.class.getName())
                        && frame.getMethodName().equals("exit"));
    }
}
