package io.vhca.harness.sim;

import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.api.SendFlags;
import io.vhca.bond.config.AtomicsMode;
import java.util.EnumSet;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

class ScenarioDrawTest {
    private static final int SEEDS = 2_000;

    @Test
    void aSeedGivesTheSameScenarioAlways() {
        for (long seed = 0; seed < 50; seed++) {
            assertThat(ScenarioDraw.draw(seed, SimOptions.FULL).describe())
                    .isEqualTo(ScenarioDraw.draw(seed, SimOptions.FULL).describe())
                    .isNotEqualTo(ScenarioDraw.draw(seed + 1, SimOptions.FULL).describe());
        }
    }

    @Test
    void everyScenarioHasAFaultAndEveryKindComesUp() {
        final Set<FaultKind> seen = EnumSet.noneOf(FaultKind.class);
        int surviving = 0;
        int byDevices = 0;
        int byBonds = 0;
        for (long seed = 0; seed < SEEDS; seed++) {
            final Scenario scenario = ScenarioDraw.draw(seed, SimOptions.FULL);
            assertThat(scenario.faults()).isNotEmpty();
            scenario.faults().forEach(fault -> seen.add(fault.kind()));
            surviving += scenario.mustSurvive() ? 1 : 0;
            final boolean hasAtomics = ScenarioDraw.hasAtomics(scenario.qps());
            byDevices += hasAtomics && scenario.atomics() == AtomicsMode.NATIVE ? 1 : 0;
            byBonds += hasAtomics && scenario.atomics() == AtomicsMode.EMULATED ? 1 : 0;
        }
        assertThat(byDevices).as("scenarios with native atomics").isGreaterThan(SEEDS / 40);
        assertThat(byBonds).as("scenarios with emulated atomics").isGreaterThan(SEEDS / 10);
        assertThat(seen).containsExactlyInAnyOrder(FaultKind.values());
        assertThat(surviving).as("most scenarios must be survived").isBetween(SEEDS * 3 / 4, SEEDS * 99 / 100);
    }

    @Test
    void datagramsAreDrawnBesideConnectionsOnBothSidesOrNone() {
        final Set<Integer> seen = new TreeSet<>();
        int without = 0;
        for (long seed = 0; seed < SEEDS; seed++) {
            final Scenario scenario = ScenarioDraw.draw(seed, SimOptions.FULL);
            final int left = scenario.datagramQps(Side.LEFT);
            final int right = scenario.datagramQps(Side.RIGHT);
            assertThat(left > 0).isEqualTo(right > 0);
            assertThat(Math.max(left, right)).isLessThanOrEqualTo(DatagramBook.MOST);
            assertThat(scenario.datagramDepth()).isBetween(2, 16);
            seen.add(10 * left + right);
            without += left == 0 ? 1 : 0;
        }
        assertThat(seen).containsExactly(0, 11, 12, 21, 22);
        assertThat(without).isBetween(SEEDS / 2, SEEDS * 3 / 4);
        assertThat(ScenarioDraw.draw(1, SimOptions.SOFT).datagramQps(Side.LEFT)).isZero();
    }

    @Test
    void theLastOperationIsSignaledAndTheWindowCanAlwaysMoveOn() {
        for (long seed = 0; seed < SEEDS; seed++) {
            for (final QpScenario qp : ScenarioDraw.draw(seed, SimOptions.FULL).qps()) {
                for (final OpPlan plan : qp.plans()) {
                    int unsignaled = 0;
                    for (int op = 0; op < plan.count(); op++) {
                        unsignaled = (plan.flags(op) & SendFlags.SIGNALED) != 0 ? 0 : unsignaled + 1;
                        assertThat(unsignaled).isLessThan(qp.sendDepth());
                        if (OpMix.addressesRegion(plan.opcode(op))) {
                            assertThat(plan.regionOffset(op) + plan.lengthBytes(op))
                                    .isLessThanOrEqualTo(plan.regionBytes());
                        }
                    }
                    assertThat(unsignaled).isZero();
                }
            }
        }
    }

    @Test
    void leavingFaultsOutChangesNothingElse() {
        for (long seed = 0; seed < 200; seed++) {
            final Scenario all = ScenarioDraw.draw(seed, SimOptions.FULL);
            final Scenario one = ScenarioDraw.draw(seed, SimOptions.FULL.faults(1));
            assertThat(one.faults()).containsExactly(all.faults().getFirst());
            assertThat(one.qps().toString()).isEqualTo(all.qps().toString());
            assertThat(one.latencyNs()).isEqualTo(all.latencyNs());
        }
    }
}
