package io.vhca.harness.exs;

import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.harness.sim.fault.Damage;
import io.vhca.harness.sim.fault.Fault;
import io.vhca.harness.sim.fault.TimedFault;
import io.vhca.harness.sim.fault.Timing;
import io.vhca.harness.sim.fault.kind.FaultTable;
import io.vhca.harness.sim.scenario.Scenario;
import io.vhca.harness.sim.scenario.ScenarioDraw;
import io.vhca.physical.soft.fabric.SimFabric;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Extended sockets over simulated bonds, with faults; and what is broken on purpose is caught. */
@Execution(ExecutionMode.CONCURRENT)
class ExsSimulationTest {
    private static final long FIRST_SEED = 1;
    private static final long SEEDS = 60;
    private static final long MOST_SEEDS = 1_000;

    @Test
    void everyByteOnceAndInOrderOverBondsThatFail() {
        long hits = 0;
        long failovers = 0;
        try (SimFabric fabric = ExsSimJob.fabric()) {
            for (long seed = FIRST_SEED; seed < FIRST_SEED + SEEDS; seed++) {
                if (!ExsSimJob.isVanishing(seed)) { // the test below has those
                    final ExsWorld world = ExsSimJob.run(seed, ExsMutation.NONE, fabric, false);
                    assertThat(world.violations().texts()).as("seed %d", seed).isEmpty();
                    hits += world.hits();
                    failovers += world.failovers();
                }
            }
        }
        assertThat(hits).as("faults that struck").isPositive();
        assertThat(failovers).isPositive();
    }

    @Test
    void whoLosesThePeerForGoodHearsOfEachCallOnce() {
        int failed = 0;
        try (SimFabric fabric = ExsSimJob.fabric()) {
            for (long seed = FIRST_SEED; seed < FIRST_SEED + SEEDS; seed++) {
                final ExsWorld world = ExsWorld.survivable(seed, fabric, false);
                failed += ExsSimulation.runAndLose(world, ExsMutation.NONE) ? 1 : 0;
                assertThat(world.violations().texts()).as("seed %d", seed).isEmpty();
            }
        }
        assertThat(failed).as("where calls failed").isPositive();
    }

    @Test
    void aPeerThatVanishesFromAPlainDeviceIsHeardOfInTime() {
        try (SimFabric fabric = ExsSimJob.fabric()) {
            for (long seed = FIRST_SEED; seed < FIRST_SEED + SEEDS; seed++) {
                assertThat(vanish(seed, VanishSimulation.SILENCE_MS, fabric)).as("seed %d", seed).isEmpty();
            }
            assertThat(vanish(FIRST_SEED, 0, fabric)).singleElement().asString().contains("0 of ");
        }
    }

    private static List<String> vanish(final long seed, final int silenceMs, final SimFabric fabric) {
        final ExsWorld world = ExsWorld.plain(seed, fabric, false);
        VanishSimulation.run(world, silenceMs);
        return world.violations().texts();
    }

    /** Begins and ends without end, at one instant. */
    private record Restless() implements Fault {
        @Override
        public String label() {
            return "restless";
        }

        @Override
        public Damage damage() {
            return Damage.NONE;
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @Timeout(300)
    void workWithoutEndAtOneInstantIsFound(final boolean isVanishing) {
        final Scenario scenario = ScenarioDraw.draw(FIRST_SEED, !isVanishing, FaultTable.ALL)
                .withFaults(List.of(new TimedFault(new Restless(), new Timing.Period(0, 0, Integer.MAX_VALUE))));
        try (SimFabric fabric = ExsSimJob.fabric()) {
            final ExsWorld world = new ExsWorld(scenario, fabric, false);
            if (isVanishing) {
                VanishSimulation.run(world, VanishSimulation.SILENCE_MS);
            } else {
                ExsSimulation.run(world, ExsMutation.NONE);
            }
            assertThat(world.violations().texts())
                    .anyMatch(violation -> violation.contains("work without end at one instant"));
        }
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "NONE")
    void whatIsBrokenIsCaught(final ExsMutation mutation) {
        final long catching = LongStream.range(FIRST_SEED, FIRST_SEED + MOST_SEEDS)
                .filter(seed -> !ExsSimJob.isVanishing(seed)) // nothing is planted there
                .filter(seed -> !violations(seed, mutation).stream().allMatch(ExsSimJob::isException))
                .findFirst()
                .orElseThrow(() -> new AssertionError(mutation + " was not caught in " + MOST_SEEDS + " seeds"));
        assertThat(violations(catching, ExsMutation.NONE))
                .as("seed %d is bad because of the mutation alone", catching)
                .isEmpty();
    }

    /** Over a network of its own: nobody looks at what a broken run left in it. */
    private static List<String> violations(final long seed, final ExsMutation mutation) {
        try (SimFabric fabric = ExsSimJob.fabric()) {
            return ExsSimJob.violations(seed, mutation, fabric);
        }
    }

    /** A seed is a run: what is drawn and what comes of it are the same, so that a bad one can be looked at. */
    @Test
    void aSeedIsTheSameRunTwice() {
        try (SimFabric used = ExsSimJob.fabric()) {
            ExsSimJob.run(FIRST_SEED, ExsMutation.NONE, used, false);
            for (final ExsMutation mutation : List.of(ExsMutation.NONE, ExsMutation.CREDIT_LOST)) {
                final ExsWorld first = recorded(mutation, used);
                try (SimFabric fabric = ExsSimJob.fabric()) {
                    final ExsWorld again = recorded(mutation, fabric);
                    assertThat(again.render()).isNotEmpty().isEqualTo(first.render());
                    assertThat(again.hits()).isEqualTo(first.hits());
                    assertThat(again.failovers()).isEqualTo(first.failovers());
                    assertThat(again.violations().texts()).isEqualTo(first.violations().texts());
                }
            }
        }
    }

    private static ExsWorld recorded(final ExsMutation mutation, final SimFabric fabric) {
        return ExsSimJob.run(3, mutation, fabric, true);
    }
}
