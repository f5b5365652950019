package io.vhca.harness.exs;

import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.physical.soft.fabric.SimFabric;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Extended sockets over simulated bonds, with faults; and what is broken on purpose is caught. */
@Execution(ExecutionMode.CONCURRENT)
class ExsSimulationTest {
    private static final long FIRST_SEED = 1;
    private static final long SEEDS = 60;
    private static final long MOST_SEEDS = 1_000;

    @Test
    void everyByteOnceAndInOrderOverBondsThatFail() {
        final SimFabric fabric = ExsSimJob.fabric();
        for (long seed = FIRST_SEED; seed < FIRST_SEED + SEEDS; seed++) {
            assertThat(ExsSimJob.violations(seed, ExsMutation.NONE, fabric)).as("seed %d", seed).isEmpty();
        }
        fabric.close();
    }

    @Test
    void aPeerThatVanishesFromAPlainDeviceIsHeardOfInTime() {
        final SimFabric fabric = ExsSimJob.fabric();
        for (long seed = FIRST_SEED; seed < FIRST_SEED + SEEDS; seed++) {
            assertThat(vanish(seed, VanishSimulation.SILENCE_MS, fabric)).as("seed %d", seed).isEmpty();
        }
        assertThat(vanish(FIRST_SEED, 0, fabric)).singleElement().asString().contains("0 of ");
    }

    private static List<String> vanish(final long seed, final int silenceMs, final SimFabric fabric) {
        final ExsWorld world = ExsWorld.plain(seed, fabric, false);
        VanishSimulation.run(world, silenceMs);
        return world.violations().texts();
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "NONE")
    void whatIsBrokenIsCaught(final ExsMutation mutation) {
        final List<String> caught = LongStream.range(FIRST_SEED, FIRST_SEED + MOST_SEEDS)
                .mapToObj(seed -> ExsSimJob.violations(seed, mutation, ExsSimJob.fabric()))
                .filter(wrong -> !wrong.isEmpty())
                .findFirst()
                .orElse(List.of());
        assertThat(caught).isNotEmpty();
    }

    /** A seed is a run: what is drawn and what comes of it are the same, so that a bad one can be looked at. */
    @Test
    void aSeedIsTheSameRunTwice() {
        final String first = failureOf(3);
        assertThat(first).isEqualTo(failureOf(3));
    }

    private static String failureOf(final long seed) {
        return ExsSimJob.violations(seed, ExsMutation.CREDIT_LOST, ExsSimJob.fabric()).toString();
    }
}
