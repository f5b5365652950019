package io.vhca.ras.thread;

import io.vhca.bond.BondContext;
import io.vhca.bond.config.BondOption;
import io.vhca.bond.core.BondCounters.Counter;
import io.vhca.bond.core.BondObserver;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.agrona.concurrent.NanoClock;
import org.agrona.concurrent.SystemNanoClock;

/**
 * Looks who has a bond's control lock, and tells once of a thread that has had it for {@code stuck_ms}, with its stack
 * and with who else is inside the bond: a queue that somebody does not leave keeps the bond's thread in its gate. Looks
 * from a virtual thread of its own, and keeps nobody waiting.
 */
public final class ThreadWatch implements BondObserver {
    private static final int LOOKS = 4;
    private static final long LONGEST_NS = TimeUnit.SECONDS.toNanos(1);
    private static final long SHORTEST_NS = TimeUnit.MILLISECONDS.toNanos(1);

    private final BondContext bond;
    private final NanoClock clock;
    private long turns = -1;
    private long sinceNs;
    private boolean isTold;
    private volatile boolean closed;

    ThreadWatch(final BondContext bond, final NanoClock clock) {
        this.bond = bond;
        this.clock = clock;
    }

    /** Watches a bond from now on until it is closed. */
    public static void attach(final BondContext bond) {
        final ThreadWatch watch = new ThreadWatch(bond, SystemNanoClock.INSTANCE);
        bond.admin().observe(watch);
        Thread.ofVirtual().name("vhca-watch").start(watch::run);
    }

    private void run() {
        while (!closed) {
            look(clock.nanoTime());
            LockSupport.parkNanos(pauseNs(stuckNs()));
        }
    }

    /** Until the next look; never long, for {@code stuck_ms} may be a shorter one by then. */
    static long pauseNs(final long stuckNs) {
        return stuckNs == 0 ? LONGEST_NS : Math.clamp(stuckNs / LOOKS, SHORTEST_NS, LONGEST_NS);
    }

    private long stuckNs() {
        return TimeUnit.MILLISECONDS.toNanos(bond.admin().config().get(BondOption.STUCK_MS));
    }

    /** Looks once. */
    void look(final long nowNs) {
        final long seen = bond.lockTurns();
        final Thread holder = bond.lockHolder();
        if (holder == null || seen != turns) {
            turns = holder == null ? -1 : seen;
            sinceNs = nowNs;
            isTold = false;
            return;
        }
        final long stuckNs = stuckNs();
        if (stuckNs > 0 && !isTold && nowNs - sinceNs >= stuckNs) {
            final StackTraceElement[] stack = holder.getStackTrace();
            if (bond.lockTurns() == seen) {
                isTold = true;
                bond.counters().happened(Counter.THREADS_STUCK, new StuckException(
                        "thread " + holder.getName() + " has had the control lock for more than "
                                + TimeUnit.NANOSECONDS.toMillis(stuckNs) + " ms" + others(holder),
                        stack));
            }
        }
    }

    private static String others(final Thread holder) {
        final List<String> names = new ArrayList<>();
        for (final InsideThread inside : InsideThread.all(holder)) {
            if (!inside.isHolder()) {
                names.add(inside.name() + " in " + inside.where());
            }
        }
        return names.isEmpty() ? "" : "; inside are also " + String.join(", ", names);
    }

    @Override
    public void close() {
        closed = true;
    }

    /** A thread is where it is for too long; its stack is that of the thread. */
    static final class StuckException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        StuckException(final String message, final StackTraceElement[] stack) {
            super(message, null, false, true);
            setStackTrace(stack);
        }
    }
}
