package io.vhca.bond.member;

import io.vhca.api.CompletionChannel;
import io.vhca.api.CompletionQueue;
import io.vhca.api.Context;
import io.vhca.api.VerbsException;
import io.vhca.bond.core.BondCore;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Gives the bond a turn when something arrives for the bond itself: for each device on which something may, a daemon
 * thread that waits for completions, and has the turn where the bond's thread sleeps. That one looks for itself once in
 * a while; who waits for its answer is spared that while. A bond that is driven by hand has none. Control lock.
 */
public final class CompletionWakers {
    private final BondCore core;
    private final Consumer<Thread> starter;
    private final Map<Context, Waker> wakers = new HashMap<>();

    public CompletionWakers(final BondCore core) {
        this(core, Thread::start);
    }

    /** @param starter starts its threads: another than {@link Thread#start} only in tests */
    CompletionWakers(final BondCore core, final Consumer<Thread> starter) {
        this.core = core;
        this.starter = starter;
    }

    /** What a completion queue is created with ({@code cq_context}), to be told. Any thread. */
    @FunctionalInterface
    public interface Heard {
        /** Something has completed there. */
        void heard();
    }

    /** Who hears of the completions on one device, and for how many queues. Owns the channel that it hears them by. */
    public final class Waker implements Runnable {
        private final Context device;
        private final CompletionChannel events;
        private int users;

        private Waker(final Context device) {
            this.device = device;
            events = device.createCompChannel();
        }

        /** The channel that a queue is created with. */
        public CompletionChannel events() {
            return events;
        }

        /** Ends the thread with the last that needs it; its queue is destroyed by now. */
        public void release() {
            assert core.holdsLock();
            users--;
            if (users == 0) {
                wakers.remove(device, this);
                events.close();
            }
        }

        /** In its own thread, until the channel is closed. */
        @Override
        public void run() {
            try {
                CompletionQueue heard;
                while ((heard = events.getCqEvent(Long.MAX_VALUE)) != null) {
                    if (heard.cqContext() instanceof Heard who) {
                        who.heard();
                    }
                    core.takeTurn();
                }
            } catch (final VerbsException e) {
                core.counters().ignored(e); // the bond's thread finds by itself what arrives
            }
        }
    }

    /**
     * For a completion queue on that member; null where nobody is woken, the member has no channel to spare, or the
     * process may have no more threads.
     */
    public @Nullable Waker acquire(final Member member) {
        assert core.holdsLock();
        if (!core.hasThread()) {
            return null;
        }
        Waker found = wakers.get(member.context());
        if (found == null) {
            try {
                found = new Waker(member.context());
            } catch (final VerbsException e) {
                core.counters().ignored(e);
                return null;
            }
            try {
                starter.accept(Thread.ofPlatform()
                        .daemon()
                        .name("vhca-" + core.name() + "-" + member.name())
                        .unstarted(found));
            } catch (final OutOfMemoryError e) {
                // It has no thread: nobody may be given it. The bond's thread finds by itself what arrives.
                found.events.close();
                return null;
            }
            wakers.put(member.context(), found);
        }
        found.users++;
        return found;
    }
}
