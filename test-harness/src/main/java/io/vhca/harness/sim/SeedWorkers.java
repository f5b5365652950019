package io.vhca.harness.sim;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * Runs each seed of a range once, on several threads, each of which has a worker of its own. One use.
 *
 * @param <R> what a run ends with
 */
public final class SeedWorkers<R> {
    private final long firstSeed;
    private final long count;
    private final int threads;
    private final AtomicLong next = new AtomicLong();
    private final AtomicBoolean isOver = new AtomicBoolean();

    /**
     * What one thread has for its runs, one after the other. It is closed by that thread, after the last one.
     *
     * @param <R> what a run ends with
     */
    public interface Worker<R> extends AutoCloseable {
        /** Runs the scenario of a seed. */
        R run(long seed);

        @Override
        void close();
    }

    /** Of seeds {@code firstSeed .. firstSeed + count - 1}. */
    public SeedWorkers(final long firstSeed, final long count, final int threads) {
        this.firstSeed = firstSeed;
        this.count = count;
        this.threads = threads;
    }

    /**
     * Runs them all, in any order, or until enough were seen; blocks until no thread runs any more. What a worker
     * throws ends all of them and is thrown here.
     *
     * @param workers makes a worker, on the thread that uses it
     * @param onEnd   is given what each run ended with, by the thread that ran it, one at a time; false ends all
     */
    public void run(final Supplier<? extends Worker<R>> workers, final Predicate<R> onEnd)
            throws InterruptedException {
        final List<Future<?>> all = new ArrayList<>();
        try (ExecutorService pool = Executors.newFixedThreadPool(threads)) {
            for (int i = 0; i < threads; i++) {
                all.add(pool.submit(() -> work(workers, onEnd)));
            }
        } // closing waits
        for (final Future<?> one : all) {
            try {
                one.get();
            } catch (final ExecutionException e) {
                throw new IllegalStateException("a run of seeds ended: " + e.getCause(), e.getCause());
            }
        }
    }

    private void work(final Supplier<? extends Worker<R>> workers, final Predicate<R> onEnd) {
        boolean isDone = false;
        try (Worker<R> worker = workers.get()) {
            for (long i = next.getAndIncrement(); i < count && !isOver.get(); i = next.getAndIncrement()) {
                end(worker.run(firstSeed + i), onEnd);
            }
            isDone = true;
        } finally {
            if (!isDone) {
                isOver.set(true);
            }
        }
    }

    private synchronized void end(final R result, final Predicate<R> onEnd) {
        if (!isOver.get() && !onEnd.test(result)) {
            isOver.set(true);
        }
    }
}
