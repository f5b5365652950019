package io.vhca.harness.sim.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.api.SendFlags;
import io.vhca.bond.config.AtomicsMode;
import io.vhca.harness.sim.core.PerSide;
import io.vhca.harness.sim.core.Side;
import io.vhca.harness.sim.fault.Effect;
import io.vhca.harness.sim.fault.FaultKind;
import io.vhca.harness.sim.fault.TimedFault;
import io.vhca.harness.sim.fault.kind.FaultTable;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class ScenarioDrawTest {
    private static final int SEEDS = 2_000;

    @Test
    void aSeedGivesTheSameScenarioAlways() {
        for (long seed = 0; seed < 50; seed++) {
            assertThat(draw(seed).describe())
                    .isEqualTo(draw(seed).describe())
                    .isNotEqualTo(draw(seed + 1).describe());
        }
    }

    @Test
    void everyScenarioHasAFaultAndEveryKindComesUp() {
        final Set<String> seen = new TreeSet<>();
        int surviving = 0;
        int byDevices = 0;
        int byBonds = 0;
        for (long seed = 0; seed < SEEDS; seed++) {
            final Scenario scenario = draw(seed);
            assertThat(scenario.faults()).isNotEmpty();
            scenario.faults().forEach(fault -> seen.add(fault.fault().label()));
            surviving += scenario.mustSurvive() ? 1 : 0;
            final boolean hasAtomics = scenario.hasAtomics();
            byDevices += hasAtomics && scenario.atomics() == AtomicsMode.NATIVE ? 1 : 0;
            byBonds += hasAtomics && scenario.atomics() == AtomicsMode.EMULATED ? 1 : 0;
        }
        assertThat(byDevices).as("scenarios with native atomics").isGreaterThan(SEEDS / 40);
        assertThat(byBonds).as("scenarios with emulated atomics").isGreaterThan(SEEDS / 10);
        assertThat(seen).containsExactlyInAnyOrderElementsOf(FaultTable.ALL.stream().map(FaultKind::label).toList());
        assertThat(surviving).as("most scenarios must be survived").isBetween(SEEDS * 3 / 4, SEEDS * 99 / 100);
    }

    @Test
    void datagramsAreDrawnBesideConnectionsOnBothSidesOrNone() {
        final Set<Integer> seen = new TreeSet<>();
        int without = 0;
        for (long seed = 0; seed < SEEDS; seed++) {
            final Scenario scenario = draw(seed);
            final int left = scenario.datagrams().count().left();
            final int right = scenario.datagrams().count().right();
            assertThat(left > 0).isEqualTo(right > 0);
            assertThat(Math.max(left, right)).isLessThanOrEqualTo(DatagramQps.MOST);
            assertThat(scenario.datagrams().depth()).isBetween(left > 0 ? 2 : 0, left > 0 ? 16 : 0);
            seen.add(10 * left + right);
            without += left == 0 ? 1 : 0;
        }
        assertThat(seen).containsExactly(0, 11, 12, 21, 22);
        assertThat(without).isBetween(SEEDS / 2, SEEDS * 3 / 4);
        assertThat(ScenarioDraw.draw(1, false, FaultTable.ALL).datagrams().count().left()).isZero();
    }

    @Test
    void theLastOperationIsSignaledAndTheWindowCanAlwaysMoveOn() {
        for (long seed = 0; seed < SEEDS; seed++) {
            for (final QpScenario qp : draw(seed).qps()) {
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
    void whatFaultsAreDrawnFromChangesNothingElse() {
        final List<FaultKind> other = List.of(FaultTable.ALL.getFirst());
        for (long seed = 0; seed < 200; seed++) {
            final Scenario all = draw(seed);
            final Scenario one = ScenarioDraw.draw(seed, true, other);
            assertThat(one.faults()).allMatch(fault -> fault.fault().label().equals(other.getFirst().label()));
            assertThat(one.withFaults(List.of()).describe()).isEqualTo(all.withFaults(List.of()).describe());
        }
    }

    @Test
    void everySecondScenarioIsStarvedBesideWhatElseItHas() {
        final List<FaultKind> beside = FaultTable.ALL.stream()
                .filter(kind -> kind.role() == FaultKind.Role.BESIDE)
                .toList();
        final Set<String> labels = beside.stream().map(FaultKind::label).collect(Collectors.toSet());
        final List<FaultKind> others = FaultTable.ALL.stream()
                .filter(kind -> kind.role() != FaultKind.Role.BESIDE)
                .toList();
        int starved = 0;
        for (long seed = 0; seed < SEEDS; seed++) {
            final Scenario all = draw(seed);
            final List<TimedFault> rest = ScenarioDraw.draw(seed, true, others).faults();
            assertThat(all.faults().subList(0, rest.size())).isEqualTo(rest);
            assertThat(all.faults().subList(rest.size(), all.faults().size()))
                    .allMatch(fault -> labels.contains(fault.fault().label()));
            starved += all.faults().size() > rest.size() ? 1 : 0;
        }
        assertThat(beside).hasSize(4);
        assertThat(starved).isBetween(SEEDS * 45 / 100, SEEDS * 55 / 100);
    }

    @Test
    void inOneOfTenScenariosStrangersAreAllThatHappens() {
        final Set<String> attacks = FaultTable.ALL.stream()
                .filter(kind -> kind.role() == FaultKind.Role.ATTACK)
                .map(FaultKind::label)
                .collect(Collectors.toSet());
        int alone = 0;
        int unmoved = 0;
        for (long seed = 0; seed < SEEDS; seed++) {
            final Scenario scenario = draw(seed);
            final boolean isAlone =
                    scenario.faults().stream().allMatch(fault -> attacks.contains(fault.fault().label()));
            final boolean isNoFailure = scenario.faults().stream()
                    .allMatch(fault -> fault.fault().effects().contains(Effect.NOTHING_MAY_MOVE));
            alone += isAlone ? 1 : 0;
            unmoved += scenario.mustNotMove() ? 1 : 0;
            assertThat(isNoFailure || !isAlone && !scenario.mustNotMove()).isTrue();
        }
        assertThat(alone).isGreaterThan(SEEDS / 12);
        assertThat(unmoved).as("nothing else there moves queue pairs").isGreaterThan(SEEDS / 40);
    }

    @Test
    void connectionsLiveSeveralTimesMoreOftenWhereResetBeginsALife() {
        final Set<Integer> seen = new TreeSet<>();
        int several = 0;
        int outOfBand = 0;
        int bySeveralResets = 0;
        for (long seed = 0; seed < SEEDS; seed++) {
            final Scenario scenario = draw(seed);
            final boolean isReset = scenario.has(Trait.OUT_OF_BAND);
            seen.add(scenario.lives());
            several += scenario.lives() > 1 ? 1 : 0;
            outOfBand += isReset ? 1 : 0;
            bySeveralResets += isReset && scenario.lives() > 1 ? 1 : 0;
            assertThat(scenario.describe()).contains(scenario.lives() + (scenario.lives() == 1 ? " life" : " lives"));
        }
        assertThat(seen).containsExactly(1, 2, 3, 4);
        assertThat(several).isBetween(SEEDS / 3, SEEDS / 2);
        assertThat(bySeveralResets).isGreaterThan(outOfBand * 2 / 3);
    }

    @Test
    void theWorkOfTheNextLifeIsTheSameWithOtherBytes() {
        for (long seed = 0; seed < 50; seed++) {
            for (final OpPlan plan : draw(seed).qps().getFirst().plans()) {
                final OpPlan again = plan.again(1);
                assertThat(again.count()).isEqualTo(plan.count());
                assertThat(again.regionKey()).isNotEqualTo(plan.regionKey()).isNotEqualTo(plan.again(2).regionKey());
                for (int op = 0; op < plan.count(); op++) {
                    assertThat(again.describe(op)).isEqualTo(plan.describe(op));
                    assertThat(again.regionOffset(op)).isEqualTo(plan.regionOffset(op));
                    assertThat(again.flags(op)).isEqualTo(plan.flags(op));
                    assertThat(again.atomics().isOnCommon(op)).isEqualTo(plan.atomics().isOnCommon(op));
                    assertThat(again.contentKey(op)).isNotEqualTo(plan.contentKey(op));
                }
            }
        }
    }

    @Test
    void theConfigurationOfBothBondsIsDescribed() {
        final Set<String> seen = new TreeSet<>();
        for (long seed = 0; seed < 200; seed++) {
            final Scenario scenario = draw(seed);
            final PerSide<BondOptions> bonds = Objects.requireNonNull(scenario.bonds());
            for (final Side side : Side.BOTH) {
                assertThat(scenario.describe()).contains(side.label() + " bond: " + bonds.of(side));
                for (final String key : bonds.of(side).keys()) {
                    assertThat(bonds.of(side).toString()).contains(key + "=");
                    assertThat(bonds.of(side).without(key).keys()).doesNotContain(key);
                }
                seen.addAll(bonds.of(side).keys());
            }
        }
        assertThat(seen).containsExactly(
                "atomics", "confirm", "detect", "detect_min", "downdelay", "drain_timeout", "heartbeat", "ledger",
                "miimon", "mode", "path_timeout", "primary", "recovery_timeout", "standby", "standby_max", "updelay",
                "watchdog", "write_replay", "xmit_hash_policy");
    }

    /** The way over a connection that stands by, and the one that makes one when it is needed. */
    @Test
    void bondsStandByAboutAsOftenAsTheyDoNot() {
        int cold = 0;
        for (long seed = 0; seed < SEEDS; seed++) {
            final PerSide<BondOptions> bonds = Objects.requireNonNull(draw(seed).bonds());
            for (final Side side : Side.BOTH) {
                cold += bonds.of(side).toString().contains("standby=cold") ? 1 : 0;
            }
        }
        assertThat(cold).isBetween(2 * SEEDS * 2 / 5, 2 * SEEDS * 3 / 5);
    }

    @Test
    void everyTraitIsDrawnAndNeedNotBe() {
        for (final Trait trait : Trait.values()) {
            int has = 0;
            for (long seed = 0; seed < SEEDS; seed++) {
                has += ScenarioDraw.draw(seed, !trait.isOfSoft(), FaultTable.ALL).has(trait) ? 1 : 0;
            }
            assertThat(has).as(trait.toString()).isBetween(SEEDS / 5, SEEDS * 3 / 5);
        }
    }

    private static Scenario draw(final long seed) {
        return ScenarioDraw.draw(seed, true, FaultTable.ALL);
    }
}
