package io.vhca.harness.sim;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

/**
 * Runs many seeds on several threads; each scenario is single-threaded.
 *
 * <p>One use. {@link #run} blocks until all seeds are done or enough have failed.
 */
final class SimRunner {
    private static final int ALL_PER_MILLE = 1_000;
    private static final long DOUBLED_NS = 100_000;

    private final SimOptions options;
    private final long firstSeed;
    private final long count;
    private final int threads;
    private final int mostFailures;
    private final SimSummary summary = new SimSummary();
    private final AtomicLong next = new AtomicLong();

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
    }

    /** One run with its history kept, for a report. */
    static RunResult record(final long seed, final SimOptions options, final Recording recording) {
        try (WorkerMemory memory = new WorkerMemory()) {
            return run(seed, options, recording, memory);
        }
    }

    static RunResult run(
            final long seed, final SimOptions options, final Recording recording, final WorkerMemory memory) {
        final Scenario scenario = ScenarioDraw.draw(seed, options);
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
        final List<Fault> faults = new ArrayList<>(of.withFaultsAtOnce().faults());
        faults.add(new Fault(FaultKind.DUPLICATE, 0, 0, -1, ALL_PER_MILLE, DOUBLED_NS, 1));
        return of.withFaults(faults);
    }

    /** One run of a scenario that need not come from a seed. */
    static RunResult run(
            final Scenario scenario, final Mutation mutation, final Recording recording, final WorkerMemory memory) {
        return Simulation.run(scenario, recording, memory, Hosts.factory(mutation));
    }

    /**
     * Runs all seeds.
     *
     * @param onFailure is given each bad run, by the thread that ran it, one at a time
     */
    void run(final Consumer<RunResult> onFailure) throws InterruptedException {
        final Thread[] workers = new Thread[threads];
        for (int i = 0; i < threads; i++) {
            workers[i] = new Thread(() -> work(onFailure), "sim-" + i);
            workers[i].start();
        }
        for (final Thread worker : workers) {
            worker.join();
        }
    }

    private void work(final Consumer<RunResult> onFailure) {
        try (WorkerMemory memory = new WorkerMemory()) {
            for (long i = next.getAndIncrement();
                    i < count && summary.bad() < mostFailures;
                    i = next.getAndIncrement()) {
                final RunResult result = runGuarded(firstSeed + i, memory);
                summary.add(result);
                if (!result.isGood()) {
                    synchronized (this) {
                        onFailure.accept(result);
                    }
                }
            }
        }
    }

    private RunResult runGuarded(final long seed, final WorkerMemory memory) {
        try {
            return run(seed, options, Recording.NONE, memory);
        } catch (final RuntimeException | Error e) {
            return RunResult.crashed(ScenarioDraw.draw(seed, options), e);
        }
    }

    SimSummary summary() {
        return summary;
    }
}
