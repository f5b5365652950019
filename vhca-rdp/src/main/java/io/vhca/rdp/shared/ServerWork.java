package io.vhca.rdp.shared;

import java.lang.invoke.VarHandle;
import java.nio.channels.Selector;
import org.agrona.concurrent.ManyToOneConcurrentArrayQueue;
import org.jspecify.annotations.Nullable;

/** Sockets that clients are to be told of; any thread adds, the server's thread takes, and is woken if it sleeps. */
final class ServerWork {
    /** As many as ports: each socket is in it once. */
    private static final int CAPACITY = 1 << 16;

    private final ManyToOneConcurrentArrayQueue<ServedSocket> ready = new ManyToOneConcurrentArrayQueue<>(CAPACITY);
    private final Selector sleeper;
    private volatile boolean isSleeping;

    ServerWork(final Selector sleeper) {
        this.sleeper = sleeper;
    }

    void add(final ServedSocket socket) {
        final boolean isIn = ready.offer(socket);
        assert isIn : "more sockets than ports";
        // The queue publishes by a release, which the look at the word may pass: who goes to sleep would not see it.
        VarHandle.fullFence();
        if (isSleeping) {
            sleeper.wakeup();
        }
    }

    @Nullable ServedSocket take() {
        return ready.poll();
    }

    /** Said before the server's thread looks for the last time: what is added from now on wakes it. */
    void isSleeping(final boolean now) {
        isSleeping = now;
    }
}
