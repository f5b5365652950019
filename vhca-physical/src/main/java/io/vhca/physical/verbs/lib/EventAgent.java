package io.vhca.physical.verbs.lib;

import io.vhca.api.Errno;
import io.vhca.api.VerbsException;
import io.vhca.physical.events.Listeners;
import io.vhca.physical.ffm.Posix;
import java.lang.System.Logger;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.locks.LockSupport;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;

/**
 * The one thread of the provider: reads asynchronous events and the news of vanishing devices, for every open context,
 * and tells who listens for events of the connection manager or of completions that one has come. It sleeps in poll(2)
 * until a descriptor has something, and lives while something is registered. What it calls of an application's must not
 * wait.
 */
public final class EventAgent {
    private static final Logger LOGGER = System.getLogger(EventAgent.class.getName());
    /** How long it rests when a turn has failed: what lacked may be there again. */
    private static final long REST_NS = 100_000_000;

    private static final EventAgent SHARED = new EventAgent(
            Thread.ofPlatform().daemon().name("vhca-verbs-events").factory(), polled -> polled.await(-1));

    /** A descriptor, and what to do when it can be read. */
    public static final class Source {
        private final int fd;
        private final Runnable onReadable;
        /** Others read it: it is not looked at again until they say so. */
        private final boolean isReadByOthers;
        /** Guarded by the agent. */
        private boolean isAwaited = true;

        private Source(final int fd, final boolean isReadByOthers, final Runnable onReadable) {
            this.fd = fd;
            this.isReadByOthers = isReadByOthers;
            this.onReadable = onReadable;
        }
    }

    private final List<Source> sources = new ArrayList<>();
    /** Held while a source is served, so that who unregisters one knows that it is not being served. */
    private final Object serving = new Object();

    private final ThreadFactory threads;
    private final ToIntFunction<PollSet> poll;
    private int wakeFd = -1;
    private @Nullable Thread thread;
    /** So did the last turn; of the agent's thread. */
    private boolean hasFailed;

    /** @param poll waits until a descriptor can be read; how many can, or a negated errno */
    EventAgent(final ThreadFactory threads, final ToIntFunction<PollSet> poll) {
        this.threads = threads;
        this.poll = poll;
    }

    public static EventAgent shared() {
        return SHARED;
    }

    /** @param onReadable reads the descriptor until it has nothing more */
    public Source register(final int fd, final Runnable onReadable) {
        return register(new Source(fd, false, onReadable));
    }

    /** @param onReadable tells another thread, once: until that {@link #await}s again */
    public Source registerReadByOthers(final int fd, final Runnable onReadable) {
        return register(new Source(fd, true, onReadable));
    }

    private synchronized Source register(final Source source) {
        if (wakeFd < 0) {
            wakeFd = Posix.eventFd();
            if (wakeFd < 0) {
                throw new VerbsException(
                        "openDevice", -wakeFd, "the event agent",
                        "no eventfd for its thread could be made" + Errno.descriptorHint(-wakeFd));
            }
        }
        requireThread();
        sources.add(source);
        Posix.signal(wakeFd);
        return source;
    }

    private void requireThread() {
        if (thread == null) {
            final Thread next = threads.newThread(this::run);
            next.start();
            thread = next;
        }
    }

    /** Who reads the descriptor wants to be told again. Cheap where it is looked at already. */
    public synchronized void await(final Source source) {
        requireThread();
        if (!source.isAwaited) {
            source.isAwaited = true;
            Posix.signal(wakeFd);
        }
    }

    /** When it returns, the source is not being served and will not be; unless the agent itself calls. */
    public void unregister(final Source source) {
        synchronized (serving) {
            synchronized (this) {
                sources.remove(source);
                Posix.signal(wakeFd);
            }
        }
    }

    private synchronized @Nullable List<Source> current() {
        if (sources.isEmpty()) {
            thread = null;
            return null;
        }
        return sources.stream().filter(source -> source.isAwaited).toList();
    }

    /** True where the source is registered still; it is not looked at meanwhile if others read it. */
    private synchronized boolean takes(final Source source) {
        source.isAwaited = !source.isReadByOthers;
        return sources.contains(source);
    }

    private void run() {
        try {
            while (takesTurn()) {
                // Until nothing is registered.
            }
        } finally {
            ended();
        }
    }

    /** False when nothing is registered any more. A turn that fails is followed by another one like any. */
    private boolean takesTurn() {
        try {
            final List<Source> now = current();
            if (now == null) {
                return false;
            }
            serve(now);
            hasFailed = false;
        } catch (final RuntimeException | Error e) {
            if (!hasFailed) {
                LOGGER.log(Logger.Level.WARNING, "a turn of the thread for events failed, it goes on", e);
            }
            hasFailed = true;
            LockSupport.parkNanos(REST_NS);
        }
        return true;
    }

    /** Whoever registers or awaits next starts another thread. */
    private synchronized void ended() {
        if (thread == Thread.currentThread()) {
            thread = null;
        }
    }

    private void serve(final List<Source> now) {
        final List<Integer> fds = new ArrayList<>();
        now.forEach(source -> fds.add(source.fd));
        fds.add(wakeFd);
        final PollSet polled = new PollSet(fds);
        final int count = poll.applyAsInt(polled);
        if (count < 0 && count != -VerbFailure.EINTR && count != -Errno.EAGAIN) {
            throw new VerbsException("poll", -count, "the event agent", "cannot wait for events");
        }
        if (polled.isReady(now.size())) {
            Posix.drain(wakeFd);
        }
        for (int i = 0; i < now.size(); i++) {
            if (polled.isReady(i)) {
                synchronized (serving) {
                    if (takes(now.get(i))) {
                        Listeners.tell(now.get(i).onReadable);
                    }
                }
            }
        }
    }
}
