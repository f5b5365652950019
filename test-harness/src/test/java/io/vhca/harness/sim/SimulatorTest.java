package io.vhca.harness.sim;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The contract under faults, from seeds. A bad seed is printed with its history; {@code vhca sim} runs many more. */
class SimulatorTest {
    private static final long FIRST_SEED = 1;
    private static final int SOFT_SEEDS = 500;
    private static final int THREADS = 2;

    private static SimSummary assertAllGood(final SimOptions options, final int seeds) throws InterruptedException {
        final SimRunner runner = new SimRunner(options, FIRST_SEED, seeds, THREADS, 1);
        final List<RunResult> bad = Collections.synchronizedList(new ArrayList<>());
        runner.run(bad::add);
        assertThat(bad).withFailMessage(() -> SimReport.of(bad.getFirst(), options)).isEmpty();
        assertThat(runner.summary().runs()).isEqualTo(seeds);
        return runner.summary();
    }

    @Test
    void theSoftRnicAloneKeepsItsContract() throws InterruptedException {
        final SimSummary summary = assertAllGood(SimOptions.SOFT, SOFT_SEEDS);
        assertThat(summary.faultless()).isLessThan(SOFT_SEEDS / 5);
    }

    @Test
    void theSameSeedGivesTheSameHistory() {
        try (WorkerMemory first = new WorkerMemory();
                WorkerMemory second = new WorkerMemory()) {
            for (final SimOptions options : List.of(SimOptions.SOFT)) {
                for (long seed = 1; seed <= 40; seed++) {
                    final RunResult one = SimRunner.run(seed, options, false, first);
                    SimRunner.run(seed + 1_000, options, false, second);
                    final RunResult two = SimRunner.run(seed, options, true, second);
                    assertThat(two.historyHash()).as("seed %d", seed).isEqualTo(one.historyHash());
                    assertThat(two.packets()).isEqualTo(one.packets());
                }
            }
        }
    }
}
