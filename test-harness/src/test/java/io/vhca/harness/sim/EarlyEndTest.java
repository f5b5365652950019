package io.vhca.harness.sim;

import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.harness.sim.core.Recording;
import io.vhca.harness.sim.defect.Mutation;
import io.vhca.harness.sim.scenario.Scenario;
import io.vhca.harness.sim.scenario.Trait;
import org.junit.jupiter.api.Test;

/** A connection that is ended under traffic shows what nothing else does. */
class EarlyEndTest {
    private static final int SEEDS = 1_000;

    @Test
    void aDestroyedQueuePairThatGoesOnIsCaughtByThatAlone() {
        try (WorkerMemory memory = new WorkerMemory()) {
            long seed = 1;
            while (!isEnded(seed) || !isBad(SimRunner.draw(seed, SimOptions.FULL), memory)) {
                seed++;
                assertThat(seed).as("no seed before this catches it").isLessThan(SEEDS);
            }
            final Scenario caught = SimRunner.draw(seed, SimOptions.FULL);
            assertThat(isBad(caught.without(Trait.EARLY_END), memory)).as("seed %d without it", seed).isFalse();
            assertThat(SimRunner.run(caught, Mutation.NONE, Recording.NONE, memory).violations()).isEmpty();
        }
    }

    private static boolean isEnded(final long seed) {
        return SimRunner.draw(seed, SimOptions.FULL).has(Trait.EARLY_END);
    }

    private static boolean isBad(final Scenario scenario, final WorkerMemory memory) {
        return !SimRunner.run(scenario, Mutation.DESTROYED_GOES_ON, Recording.NONE, memory).isGood();
    }
}
