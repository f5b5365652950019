package io.vhca.harness.sim;

import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.harness.sim.core.Feature;
import io.vhca.harness.sim.core.Recording;
import io.vhca.harness.sim.defect.Mutation;
import io.vhca.harness.sim.fault.FaultKind;
import io.vhca.harness.sim.fault.kind.FaultTable;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The contract under faults, from seeds. A bad seed is printed with its history; {@code vhca sim} runs many more. */
@Execution(ExecutionMode.CONCURRENT)
class SimulatorTest {
    private static final long FIRST_SEED = 1;
    private static final int BOND_SEEDS = 1_000;
    private static final int SOFT_SEEDS = 500;
    private static final int MUTATION_SEEDS = 1_000;
    private static final int SAME_SEEDS = 20;
    private static final int THREADS = 2;

    private static SimSummary assertAllGood(final SimOptions options, final int seeds) throws InterruptedException {
        final SimRunner runner = new SimRunner(options, FIRST_SEED, seeds, THREADS, 1);
        final List<RunResult> bad = Collections.synchronizedList(new ArrayList<>());
        runner.run(bad::add);
        assertThat(bad).withFailMessage(() -> SimReport.of(bad.getFirst(), options).text()).isEmpty();
        assertThat(runner.summary().runs()).isEqualTo(seeds);
        return runner.summary();
    }

    @Test
    void theSoftRnicAloneKeepsItsContract() throws InterruptedException {
        final SimSummary summary = assertAllGood(SimOptions.SOFT, SOFT_SEEDS);
        assertThat(summary.faultless()).as("scenarios without a fault").isZero();
    }

    @Test
    void theBondKeepsTheContractOfEveryOperation() throws InterruptedException {
        final SimSummary summary = assertAllGood(SimOptions.FULL, BOND_SEEDS);
        for (final FaultKind kind : FaultTable.ALL) {
            assertThat(summary.hits(kind.label())).as(kind.label()).isPositive();
        }
        assertThat(summary.faultless()).as("scenarios without a fault").isZero();
        assertThat(summary.counts().failovers()).isGreaterThan(BOND_SEEDS / 4);
        assertThat(summary.counts().owed()).isPositive();
        assertThat(summary.counts().replayed()).isPositive();
        for (final Feature feature : Feature.values()) {
            assertThat(summary.uses(feature)).as(feature.label()).isGreaterThan(BOND_SEEDS / 20);
        }
        assertThat(summary.uses(Feature.DATAGRAM_LOST)).isLessThan(summary.uses(Feature.DATAGRAM) / 3);
    }

    @Test
    void anAckLostAtEachIndexOfAWindowChangesNothing() {
        final int[] failovers = new int[1];
        try (WorkerMemory memory = new WorkerMemory()) {
            final int scenarios = AckLossSpace.forEach(scenario -> {
                final RunResult result = SimRunner.run(scenario, Mutation.NONE, Recording.NONE, memory);
                assertThat(result.violations())
                        .withFailMessage(() -> scenario.describe() + result.violations() + "\n"
                                + SimRunner.run(scenario, Mutation.NONE, Recording.ALL, memory).history())
                        .isEmpty();
                failovers[0] += result.counts().failovers() > 0 ? 1 : 0;
            });
            assertThat(failovers[0]).isGreaterThan(scenarios / 3);
        }
    }

    @ParameterizedTest
    @EnumSource(value = Mutation.class, names = "NONE", mode = EnumSource.Mode.EXCLUDE)
    void aBondBrokenOnPurposeIsCaught(final Mutation mutation) {
        try (WorkerMemory memory = new WorkerMemory()) {
            long seed = FIRST_SEED;
            String how = caught(seed, mutation, memory);
            while (how == null) {
                seed++;
                assertThat(seed)
                        .as("%s is not caught by any seed before this", mutation)
                        .isLessThan(FIRST_SEED + MUTATION_SEEDS);
                how = caught(seed, mutation, memory);
            }
            assertThat(SimRunner.run(seed, SimOptions.FULL, Recording.NONE, memory).violations())
                    .as("seed %d is bad because of the mutation alone", seed)
                    .isEmpty();
            System.out.println(mutation + " is caught by seed " + seed + ": " + how);
        }
    }

    /**
     * How a broken bond is caught, or null: by a checker, or by an assertion of the bond's own, which comes first where
     * both would see it. What ends in another exception is no work of either.
     */
    private static @Nullable String caught(final long seed, final Mutation mutation, final WorkerMemory memory) {
        try {
            final RunResult result = SimRunner.run(seed, SimOptions.FULL.with(mutation), Recording.NONE, memory);
            return result.isGood() ? null : result.violations().getFirst().toString();
        } catch (final RuntimeException e) {
            return null;
        } catch (final AssertionError e) {
            return "assertion " + e.getMessage();
        }
    }

    @Test
    void theSameSeedGivesTheSameHistory() {
        try (WorkerMemory first = new WorkerMemory();
                WorkerMemory second = new WorkerMemory()) {
            for (final SimOptions options : List.of(SimOptions.SOFT, SimOptions.FULL)) {
                for (long seed = 1; seed <= SAME_SEEDS; seed++) {
                    final RunResult one = SimRunner.run(seed, options, Recording.NONE, first);
                    SimRunner.run(seed + 1_000, options, Recording.NONE, second);
                    final RunResult two = SimRunner.run(seed, options, Recording.ALL, second);
                    assertThat(two.historyHash()).as("seed %d", seed).isEqualTo(one.historyHash());
                    assertThat(two.packets()).isEqualTo(one.packets());
                }
            }
        }
    }
}
