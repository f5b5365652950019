package io.vhca.harness.rdp;

import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.physical.soft.fabric.SimFabric;
import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The contract of reliable datagrams under faults, from seeds. {@code vhca sim --rdp} runs many more. */
@Execution(ExecutionMode.CONCURRENT)
class RdpSimulationTest {
    private static final int SEEDS = 120;
    private static final int MUTATION_SEEDS = 300;
    private static final int FAIRNESS_SEEDS = 10;

    private static RdpRun run(final long seed, final RdpMutation mutation) {
        try (SimFabric fabric = RdpSimulation.fabric()) {
            return RdpSimulation.run(seed, mutation, fabric);
        }
    }

    @Test
    void theContractHolds() {
        int received = 0;
        long stalls = 0;
        long failures = 0;
        for (long seed = 1; seed <= SEEDS; seed++) {
            final RdpRun run = run(seed, RdpMutation.NONE);
            assertThat(run.violations()).as(run.scenario().describe()).isEmpty();
            received += run.received();
            stalls += run.stalls();
            failures += run.failures();
        }
        assertThat(received).isGreaterThan(100 * SEEDS);
        assertThat(stalls).isPositive();
        assertThat(failures).isPositive();
    }

    @ParameterizedTest
    @EnumSource(value = RdpMutation.class, names = {"NONE", "SERVED_LESS"}, mode = EnumSource.Mode.EXCLUDE)
    void aPlantedDefectIsCaught(final RdpMutation mutation) {
        for (long seed = 1; seed <= MUTATION_SEEDS; seed++) {
            if (!run(seed, mutation).violations().stream().allMatch(RdpSimulation::isException)) {
                assertThat(run(seed, RdpMutation.NONE).violations())
                        .as("seed %d is bad because of the mutation alone", seed)
                        .isEmpty();
                return;
            }
        }
        throw new AssertionError(mutation + " was not caught in " + MUTATION_SEEDS + " seeds");
    }

    @Test
    void equalSendersAreServedEqually() {
        int caught = 0;
        for (long seed = 1; seed <= FAIRNESS_SEEDS; seed++) {
            assertThat(RdpFairness.run(seed, RdpMutation.NONE))
                    .as("seed %d", seed)
                    .isGreaterThanOrEqualTo(RdpFairness.LEAST_SHARE);
            caught += RdpFairness.run(seed, RdpMutation.SERVED_LESS) < RdpFairness.LEAST_SHARE ? 1 : 0;
        }
        assertThat(caught).isEqualTo(FAIRNESS_SEEDS);
    }

    @Test
    void aSeedIsTheSameRunEachTime() {
        final RdpRun first = run(3, RdpMutation.NONE);
        assertThat(run(3, RdpMutation.NONE)).isEqualTo(first);
        try (SimFabric fabric = RdpSimulation.fabric()) {
            assertThat(RdpSimulation.run(2, RdpMutation.NONE, fabric)).isNotEqualTo(first);
            assertThat(RdpSimulation.run(3, RdpMutation.NONE, fabric))
                    .as("on a network that was used")
                    .isEqualTo(first);
        }
    }

    @Test
    void anExceptionIsTheSeedsViolation() {
        final RdpRun run = RdpSimulation.guarded(RdpScenario.draw(7), () -> {
            throw new IllegalStateException("of a run");
        });
        assertThat(run.scenario().seed()).isEqualTo(7);
        assertThat(run.violations())
                .singleElement()
                .matches(RdpSimulation::isException)
                .asString()
                .contains("of a run");
    }

    @Test
    void theJobSaysWhatCameOfIt() throws InterruptedException {
        final StringWriter text = new StringWriter();
        assertThat(new RdpSimJob(1, 2, 2, 1, new PrintWriter(text)).run()).isZero();
        assertThat(text.toString()).contains("2 scenarios: ").contains("the contract held in every scenario");
    }
}
