package io.vhca.harness.sim;

import io.vhca.harness.sim.core.Recording;
import io.vhca.harness.sim.defect.Mutation;
import io.vhca.harness.sim.fault.TimedFault;
import io.vhca.harness.sim.fault.Timing;
import io.vhca.harness.sim.fault.kind.PacketsDuplicated;
import io.vhca.harness.sim.scenario.Scenario;
import io.vhca.harness.sim.scenario.ScenarioDraw;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Runs many seeds on several threads; each scenario is single-threaded.
 *
 * <p>One use. {@link #run} blocks until all seeds are done or enough have failed.
 */
final class SimRunner {
    private static final TimedFault DOUBLED_AT_FIRST =
            new TimedFault(new PacketsDuplicated(1_000, 100_000), new Timing.Period(0, 800_000, 1));

    private final SimOptions options;
    private final long firstSeed;
    private final long count;
    private final int threads;
    private final int mostFailures;
    private final SimSummary summary;
    private final AtomicLong next = new AtomicLong();
    private final Set<Attempt> running = ConcurrentHashMap.newKeySet();
    private Consumer<RunResult> failures = unused -> {};
    /** What a thread ended of that is no run's doing; guarded by this. */
    private @Nullable Throwable failure;
    private int workers;
    private int started;

    /**
     * @param count        seeds {@code firstSeed .. firstSeed + count - 1}
     * @param mostFailures stop after so many bad seeds
     */
    SimRunner(
            final SimOptions options,
            final long firstSeed,
            final long count,
            final int threads,
            final int mostFailures) {
        this.options = options;
        this.firstSeed = firstSeed;
        this.count = count;
        this.threads = threads;
        this.mostFailures = mostFailures;
        summary = new SimSummary(options.faults());
    }

    /** The scenario of a seed. */
    static Scenario draw(final long seed, final SimOptions options) {
        return ScenarioDraw.draw(seed, !options.isSoftOnly(), options.faults());
    }

    /** One run with its history kept, for a report. */
    static RunResult record(final long seed, final SimOptions options, final Recording recording) {
        try (WorkerMemory memory = new WorkerMemory()) {
            return run(seed, options, recording, memory);
        }
    }

    static RunResult run(
            final long seed, final SimOptions options, final Recording recording, final WorkerMemory memory) {
        final Scenario scenario = draw(seed, options);
        RunResult result = run(scenario, options.mutation(), recording, memory);
        if (isFaultless(result)) {
            // The work was over before the first fault's packet came: once more, with every fault at its first chance.
            result = run(scenario.withFaultsAtOnce(), options.mutation(), recording, memory);
        }
        if (isFaultless(result) && !scenario.faults().isEmpty()) {
            // A fault that strikes a share of the packets may strike none, and the packet it waits for need not exist.
            result = run(withDoubles(scenario), options.mutation(), recording, memory);
        }
        return result;
    }

    private static boolean isFaultless(final RunResult result) {
        return result.faultsInjected() == 0 && result.isGood();
    }

    /** The scenario with its faults at once, and every packet of its beginning doubled. */
    private static Scenario withDoubles(final Scenario of) {
        final List<TimedFault> faults = new ArrayList<>(of.withFaultsAtOnce().faults());
        faults.add(DOUBLED_AT_FIRST);
        return of.withFaults(faults);
    }

    /** One run of a scenario that need not come from a seed. */
    static RunResult run(
            final Scenario scenario, final Mutation mutation, final Recording recording, final WorkerMemory memory) {
        return Simulation.run(scenario, mutation, recording, memory);
    }

    /** One run of one seed, by one thread. Two attempts are never equal. */
    static final class Attempt {
        private final long seed;
        private final Thread thread;

        private Attempt(final long seed, final Thread thread) {
            this.seed = seed;
            this.thread = thread;
        }

        Thread thread() {
            return thread;
        }
    }

    /**
     * Runs all seeds.
     *
     * @param onFailure is given each bad run, by the thread that ran it or gave it up, one at a time
     * @throws IllegalStateException when a thread ended otherwise: not every seed was run
     */
    void run(final Consumer<RunResult> onFailure) throws InterruptedException {
        synchronized (this) {
            failures = onFailure;
            for (int i = 0; i < threads; i++) {
                startWorker();
            }
            while (workers > 0) {
                wait();
            }
            if (failure != null) {
                throw new IllegalStateException("a thread that runs seeds ended: " + failure, failure);
            }
        }
    }

    /** A daemon: one that was given up may never end. */
    private synchronized void startWorker() {
        final Thread worker = new Thread(this::work, "sim-" + started++);
        worker.setDaemon(true);
        worker.start();
        workers++;
    }

    private synchronized void endWorker() {
        workers--;
        notifyAll();
    }

    private synchronized void failed(final Throwable by) {
        failure = failure == null ? by : failure;
        next.set(count); // the others end, too
    }

    private void work() {
        // Then another thread has this one's place.
        boolean isGivenUp = false;
        try (WorkerMemory memory = new WorkerMemory()) {
            for (long i = next.getAndIncrement();
                    i < count && summary.bad() < mostFailures;
                    i = next.getAndIncrement()) {
                final Attempt attempt = new Attempt(firstSeed + i, Thread.currentThread());
                running.add(attempt);
                final RunResult result = runGuarded(attempt.seed, memory);
                if (!running.remove(attempt)) {
                    isGivenUp = true;
                    return;
                }
                add(result);
            }
        } catch (final RuntimeException | Error e) {
            failed(e);
        } finally {
            if (!isGivenUp) {
                endWorker();
            }
        }
    }

    private void add(final RunResult result) {
        summary.add(result);
        if (!result.isGood()) {
            synchronized (this) {
                failures.accept(result);
            }
        }
    }

    /** What runs now. Any thread. */
    Set<Attempt> running() {
        return running;
    }

    /** A run takes too long: it counts as bad, its thread is asked to end, and another goes on with the other seeds. */
    void giveUp(final Attempt attempt, final long afterNs) {
        if (running.remove(attempt)) {
            final StackTraceElement[] at = attempt.thread.getStackTrace();
            attempt.thread.interrupt();
            add(RunResult.spinning(draw(attempt.seed, options), afterNs, at));
            startWorker();
            endWorker();
        }
    }

    private RunResult runGuarded(final long seed, final WorkerMemory memory) {
        try {
            return run(seed, options, Recording.NONE, memory);
        } catch (final RuntimeException | Error e) {
            return RunResult.crashed(draw(seed, options), e);
        }
    }

    SimSummary summary() {
        return summary;
    }
}
