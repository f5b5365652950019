package io.vhca.harness.sim.check;

import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.api.WcStatus;
import io.vhca.harness.sim.core.Violations;
import io.vhca.harness.sim.fault.Damage;
import io.vhca.harness.sim.fault.kind.FaultTable;
import io.vhca.harness.sim.scenario.OpPlan;
import io.vhca.harness.sim.scenario.OwnMistake;
import io.vhca.harness.sim.scenario.Scenario;
import io.vhca.harness.sim.scenario.ScenarioDraw;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.Set;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** What an operation with a mistake may end in, and what may be executed besides it. */
class MistakeCheckerTest {
    private static final int SEEDS = 1_000;

    private static Violations after(
            final OwnMistake mistake, final Scenario scenario, final Consumer<MistakeChecker> what) {
        final OpPlan plan = scenario.qps().get(mistake.qp()).plan(mistake.side());
        final Violations violations = new Violations();
        what.accept(new MistakeChecker(mistake, scenario, plan, "here", violations));
        return violations;
    }

    @Test
    void onlyTheErrorThatNamesItAtItsPlaceIsRight() {
        final Set<OwnMistake.Kind> seen = EnumSet.noneOf(OwnMistake.Kind.class);
        for (long seed = 0; seed < SEEDS; seed++) {
            final Scenario scenario = ScenarioDraw.draw(seed, true, FaultTable.ALL);
            final OwnMistake mistake = OwnMistake.of(scenario);
            if (mistake == null || !scenario.mustSurvive()) {
                continue;
            }
            seen.add(mistake.kind());
            final int op = mistake.op();
            final OpPlan plan = scenario.qps().get(mistake.qp()).plan(mistake.side());
            final int executable = mistake.mostExecuted(plan, scenario.atomics());
            assertThat(after(mistake, scenario, checker -> {
                checker.onSuccess(op);
                checker.onArrived(executable - 1);
                checker.onFailed(op, mistake.status());
            }).texts()).isEmpty();
            assertThat(after(mistake, scenario, checker -> checker.onSuccess(op + 1)).count()).isOne();
            if (op > 0) {
                assertThat(after(mistake, scenario, checker -> checker.onFailed(op - 1, mistake.status())).count())
                        .isOne();
            }
            assertThat(after(mistake, scenario, checker -> checker.onFailed(op, WcStatus.RETRY_EXC_ERR)).count())
                    .isOne();
            if (executable < plan.count()) {
                assertThat(after(mistake, scenario, checker -> checker.onArrived(executable)).count()).isOne();
                assertThat(after(
                        mistake, scenario,
                        checker -> assertThat(checker.executable(plan.count())).isEqualTo(executable)).count())
                        .isZero();
            }
        }
        assertThat(seen).containsExactlyInAnyOrder(OwnMistake.Kind.values());
    }

    /** The peer's queue pair has failed by then, and answers nothing that is asked again. */
    @Test
    void aDeviceAloneMayMissAnAnswerThatIsLostOrOvertaken() {
        final Set<Boolean> seen = new HashSet<>();
        for (long seed = 0; seed < SEEDS; seed++) {
            final Scenario scenario = ScenarioDraw.draw(seed, false, FaultTable.ALL);
            final OwnMistake mistake = OwnMistake.of(scenario);
            if (mistake == null || mistake.kind() == OwnMistake.Kind.LOCAL_KEY || !scenario.mustSurvive()) {
                continue;
            }
            final boolean mayMiss = scenario.has(Damage.PACKETS) || scenario.reorders();
            seen.add(mayMiss);
            final int op = mistake.op();
            assertThat(after(mistake, scenario, checker -> checker.onFailed(op, WcStatus.RETRY_EXC_ERR)).count())
                    .isEqualTo(mayMiss ? 0 : 1);
            if (op + 1 < scenario.qps().get(mistake.qp()).plan(mistake.side()).count()) {
                assertThat(after(mistake, scenario, checker -> checker.onFailed(op + 1, WcStatus.RETRY_EXC_ERR))
                        .count()).isOne();
            }
        }
        assertThat(seen).containsExactlyInAnyOrder(true, false);
    }
}
