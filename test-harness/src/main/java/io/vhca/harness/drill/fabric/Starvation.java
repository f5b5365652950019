package io.vhca.harness.drill.fabric;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongPredicate;
import org.jspecify.annotations.Nullable;

/**
 * Gives child processes one part in so many of the time: each is stopped and goes on again in periods of its own, drawn
 * between {@link #LEAST_PERIOD_NS} and {@link #MOST_PERIOD_NS}, so that two of them are awake together now and then and
 * not always. Whatever happens, a process that was stopped goes on when this ends, also when this one ends first, and
 * when it is killed without a word ({@link StopGuard}). A thread a child.
 */
public final class Starvation implements AutoCloseable {
    static final long LEAST_PERIOD_NS = TimeUnit.MILLISECONDS.toNanos(50);
    static final long MOST_PERIOD_NS = TimeUnit.MILLISECONDS.toNanos(150);
    /** The highest {@code share} that is of use: a turn must be longer than the machine's own. */
    public static final int MOST = 50;

    private final List<Cycle> cycles = new ArrayList<>();
    private final List<Thread> threads = new ArrayList<>();
    private final Thread atExit = new Thread(this::letGo, "drill-feeding");
    private @Nullable StopGuard guard;
    private volatile boolean isOver;

    /**
     * Begins at once.
     *
     * @param share the children run for one part in so many of the time; 1 leaves them alone
     */
    public Starvation(final int share, final List<ProcessHandle> children) {
        if (share < 1 || share > MOST) {
            throw new IllegalArgumentException("a share of one in " + share + ", allowed is 1 to " + MOST);
        }
        if (share > 1) {
            guard = new StopGuard(children.stream().map(ProcessHandle::pid).toList());
            Runtime.getRuntime().addShutdownHook(atExit);
            // Not to another process that has its number by now.
            children.forEach(child -> begin(new Cycle(
                    child.pid(), share, new SplittableRandom(child.pid()),
                    pid -> child.isAlive() && Signals.stop(pid), pid -> child.isAlive() && Signals.goOn(pid))));
        }
    }

    private void begin(final Cycle cycle) {
        cycles.add(cycle);
        threads.add(Thread.ofPlatform().daemon().name("drill-starvation").start(() -> {
            try {
                for (long pauseNs = cycle.step(); pauseNs > 0 && !isOver; pauseNs = cycle.step()) {
                    LockSupport.parkNanos(pauseNs);
                }
            } finally {
                cycle.end();
            }
        }));
    }

    /** Stops and goes on, and no more of either than of the other. */
    static final class Cycle {
        private final long pid;
        private final int share;
        private final SplittableRandom random;
        private final LongPredicate stop;
        private final LongPredicate goOn;
        private boolean isOver;
        private boolean isStopped;
        private long awakeNs;

        Cycle(
                final long pid,
                final int share,
                final SplittableRandom random,
                final LongPredicate stop,
                final LongPredicate goOn) {
            this.pid = pid;
            this.share = share;
            this.random = random;
            this.stop = stop;
            this.goOn = goOn;
        }

        /** Stops the process or lets it go on; for how long, or 0 where there is nothing more to do. */
        synchronized long step() {
            if (isOver) {
                return 0;
            }
            if (isStopped) {
                isStopped = false;
                return goOn.test(pid) ? awakeNs : 0;
            }
            final long periodNs = random.nextLong(LEAST_PERIOD_NS, MOST_PERIOD_NS + 1);
            awakeNs = periodNs / share;
            isStopped = true;
            return stop.test(pid) ? periodNs - awakeNs : 0;
        }

        /** The process runs from now on. Idempotent. */
        synchronized void end() {
            isOver = true;
            if (isStopped) {
                isStopped = false;
                // A process that ended by itself needs no more time.
                final boolean unused = goOn.test(pid);
            }
        }
    }

    private void letGo() {
        isOver = true;
        cycles.forEach(Cycle::end);
    }

    /** The children have all the time again. Idempotent. */
    @Override
    public void close() {
        letGo();
        for (final Thread thread : threads) {
            LockSupport.unpark(thread);
        }
        threads.clear();
        if (guard != null) {
            guard.close();
            guard = null;
        }
        if (!cycles.isEmpty()) {
            cycles.clear();
            try {
                Runtime.getRuntime().removeShutdownHook(atExit);
            } catch (final IllegalStateException e) {
                // The machine is shutting down: the hook does what this would.
                assert isOver;
            }
        }
    }
}
