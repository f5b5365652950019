package io.vhca.physical.verbs.lib;

import io.vhca.api.Errno;
import io.vhca.api.VerbsException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The one thread of the provider: reads asynchronous events and the news of vanishing devices, for every open context.
 * It sleeps in poll(2) until a descriptor has something, lives while something is registered, and never calls back into
 * an application.
 */
public final class EventAgent {
    private static final EventAgent SHARED = new EventAgent();

    /** A descriptor and what to do when it can be read; it is read until it has nothing more. */
    public record Source(int fd, Runnable onReadable) {}

    private final List<Source> sources = new ArrayList<>();
    /** Held while a source is served, so that who unregisters one knows that it is not being served. */
    private final Object serving = new Object();

    private int wakeFd = -1;
    private @Nullable Thread thread;

    private EventAgent() {}

    public static EventAgent shared() {
        return SHARED;
    }

    public synchronized Source register(final int fd, final Runnable onReadable) {
        final Source source = new Source(fd, onReadable);
        if (wakeFd < 0) {
            wakeFd = Posix.eventFd();
            if (wakeFd < 0) {
                throw new VerbsException(
                        "openDevice", -wakeFd, "the event agent", "no file descriptor is left: raise `ulimit -n`");
            }
        }
        sources.add(source);
        if (thread == null) {
            thread = Thread.ofPlatform().daemon().name("vhca-verbs-events").start(this::run);
        }
        Posix.signal(wakeFd);
        return source;
    }

    /** When it returns, the source is not being served and will not be; unless the agent itself calls. */
    public void unregister(final Source source) {
        synchronized (serving) {
            synchronized (this) {
                sources.removeIf(other -> other == source);
                Posix.signal(wakeFd);
            }
        }
    }

    private synchronized @Nullable List<Source> current() {
        if (sources.isEmpty()) {
            thread = null;
            return null;
        }
        return List.copyOf(sources);
    }

    private synchronized boolean isRegistered(final Source source) {
        return sources.stream().anyMatch(other -> other == source);
    }

    private void run() {
        for (List<Source> now = current(); now != null; now = current()) {
            final int[] fds = new int[now.size() + 1];
            final boolean[] ready = new boolean[fds.length];
            for (int i = 0; i < now.size(); i++) {
                fds[i] = now.get(i).fd();
            }
            fds[now.size()] = wakeFd;
            final int count = Posix.poll(fds, ready, -1);
            if (count < 0 && count != -VerbFailure.EINTR && count != -Errno.EAGAIN) {
                throw new VerbsException("poll", -count, "the event agent", "cannot wait for events");
            }
            if (ready[now.size()]) {
                Posix.drain(wakeFd);
            }
            serve(now, ready);
        }
    }

    private void serve(final List<Source> now, final boolean[] ready) {
        for (int i = 0; i < now.size(); i++) {
            if (ready[i]) {
                synchronized (serving) {
                    if (isRegistered(now.get(i))) {
                        now.get(i).onReadable().run();
                    }
                }
            }
        }
    }
}
