package io.vhca.harness.sim;

import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.api.SendFlags;
import io.vhca.bond.config.ConfirmMode;
import io.vhca.harness.sim.core.PerSide;
import io.vhca.harness.sim.core.Recording;
import io.vhca.harness.sim.core.Side;
import io.vhca.harness.sim.defect.Mutation;
import io.vhca.harness.sim.scenario.BondOptions;
import io.vhca.harness.sim.scenario.DatagramQps;
import io.vhca.harness.sim.scenario.Ending;
import io.vhca.harness.sim.scenario.QpScenario;
import io.vhca.harness.sim.scenario.Scenario;
import io.vhca.harness.sim.scenario.Trait;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** A bad scenario loses all that it is not bad for. */
class ShrinkerTest {
    private static final int SEEDS = 50;

    private static BondOptions bond(final Scenario scenario, final Side side) {
        return Objects.requireNonNull(scenario.bonds()).of(side);
    }

    @Test
    void whatIsBadForNothingLosesEverything() {
        for (long seed = 1; seed <= SEEDS; seed++) {
            final Scenario small = Shrinker.shrink(SimRunner.draw(seed, SimOptions.FULL), candidate -> true);
            assertThat(small.faults()).isEmpty();
            assertThat(small.traits()).isEmpty();
            assertThat(small.qps()).hasSize(1);
            assertThat(small.qps().getFirst().plans()).allMatch(plan -> plan.count() <= 1);
            assertThat(small.sharedReceives()).isEqualTo(PerSide.both(0));
            assertThat(small.datagrams()).isEqualTo(DatagramQps.NONE);
            assertThat(small.ending()).isEqualTo(Ending.QUIET);
            assertThat(small.lives()).isEqualTo(1);
            assertThat(small.describe()).contains("left bond: defaults", "right bond: defaults");
        }
    }

    @Test
    void whatItIsBadForStays() {
        for (long seed = 1; seed <= SEEDS; seed++) {
            final Scenario bad = SimRunner.draw(seed, SimOptions.FULL);
            final Scenario small = Shrinker.shrink(bad, candidate -> candidate.isConfirming() == bad.isConfirming()
                    && candidate.has(Trait.EVENTS) == bad.has(Trait.EVENTS));
            for (final Side side : Side.BOTH) {
                assertThat(bond(small, side).keys()).isSubsetOf("confirm");
                assertThat(bond(small, side).config().confirm()).isEqualTo(
                        bad.isConfirming() ? ConfirmMode.PEER : ConfirmMode.OFF);
            }
            assertThat(small.has(Trait.EVENTS)).isEqualTo(bad.has(Trait.EVENTS));
        }
    }

    @Test
    void operationsAreLeftOutAndTheLastOneIsSignaled() {
        final Scenario bad = SimRunner.draw(1, SimOptions.FULL);
        final QpScenario all = bad.qps().getFirst();
        final int needed = all.plan(Side.LEFT).count() / 2;
        final Scenario small = Shrinker.shrink(
                bad, candidate -> candidate.qps().getFirst().plan(Side.LEFT).count() >= needed);
        final QpScenario qp = small.qps().getFirst();
        assertThat(qp.plan(Side.LEFT).count()).isBetween(needed, needed + 1 + needed / 4);
        for (int op = 0; op < qp.plan(Side.LEFT).count(); op++) {
            assertThat(qp.plan(Side.LEFT).describe(op)).isEqualTo(all.plan(Side.LEFT).describe(op));
            assertThat(qp.plan(Side.LEFT).contentKey(op)).isEqualTo(all.plan(Side.LEFT).contentKey(op));
        }
        assertThat(qp.plan(Side.LEFT).flags(qp.plan(Side.LEFT).count() - 1) & SendFlags.SIGNALED)
                .isNotZero();
    }

    @Test
    void whatThrowsIsBad() {
        final Scenario bad = SimRunner.draw(1, SimOptions.FULL);
        assertThat(Shrinker.shrink(bad, candidate -> {
            throw new IllegalStateException("as a run may end");
        }).faults()).isEmpty();
    }

    /** A planted defect, shrunk by real runs: it is bad still. */
    @Test
    void aBadSeedIsBadWhenItIsSmall() {
        final SimOptions options = SimOptions.FULL.with(Mutation.REPLAY_ONE_TOO_LATE);
        try (WorkerMemory memory = new WorkerMemory()) {
            long seed = 1;
            RunResult bad = SimRunner.run(seed, options, Recording.NONE, memory);
            while (bad.isGood()) {
                bad = SimRunner.run(++seed, options, Recording.NONE, memory);
            }
            final SimReport report = SimReport.of(bad, options);
            assertThat(report.text()).contains("smaller, and still bad: seed " + seed, " bond: ", "violated: ");
        }
    }
}
