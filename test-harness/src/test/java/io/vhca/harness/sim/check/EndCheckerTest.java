package io.vhca.harness.sim.check;

import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.api.WcStatus;
import io.vhca.harness.sim.core.Side;
import io.vhca.harness.sim.core.Violations;
import io.vhca.harness.sim.fault.kind.FaultTable;
import io.vhca.harness.sim.scenario.EarlyEnd;
import io.vhca.harness.sim.scenario.OpPlan;
import io.vhca.harness.sim.scenario.Scenario;
import io.vhca.harness.sim.scenario.ScenarioDraw;
import io.vhca.harness.sim.scenario.Trait;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** What requests may end in where an application ends their connection under traffic. */
class EndCheckerTest {
    private static final int SEEDS = 500;

    private static int violations(
            final EarlyEnd end, final Scenario scenario, final Side sender, final Consumer<EndChecker> what) {
        final OpPlan plan = scenario.qps().get(end.qp()).plan(sender);
        final Violations violations = new Violations();
        what.accept(new EndChecker(end, scenario, plan, sender, "here", violations));
        return violations.count();
    }

    private static int afterIt(
            final EarlyEnd end, final Scenario scenario, final Side sender, final WcStatus status) {
        return violations(end, scenario, sender, checker -> {
            checker.begin();
            checker.onFailed(0, status);
        });
    }

    @Test
    void whatIsNotDoneIsFlushedAndThePeerAloneMayFindAFailure() {
        final Set<EarlyEnd.Kind> seen = EnumSet.noneOf(EarlyEnd.Kind.class);
        for (long seed = 0; seed < SEEDS; seed++) {
            final Scenario scenario = ScenarioDraw.draw(seed, true, FaultTable.ALL);
            for (final EarlyEnd end : scenario.mustSurvive() ? EarlyEnd.of(scenario) : List.<EarlyEnd>of()) {
                if (scenario.qps().get(end.qp()).plans().stream().anyMatch(plan -> plan.count() == 0)) {
                    continue;
                }
                seen.add(end.kind());
                final Side peer = end.side().other();
                final boolean isUnsaid = scenario.has(Trait.OUT_OF_BAND)
                        || end.kind() == EarlyEnd.Kind.MOVED_TO_ERR || end.kind() == EarlyEnd.Kind.MOVED_TO_RESET;
                for (final Side side : Side.BOTH) {
                    assertThat(afterIt(end, scenario, side, WcStatus.WR_FLUSH_ERR)).isZero();
                    assertThat(afterIt(end, scenario, side, WcStatus.RETRY_EXC_ERR)).isOne();
                    assertThat(violations(
                            end, scenario, side, checker -> checker.onFailed(0, WcStatus.WR_FLUSH_ERR))).isOne();
                }
                assertThat(afterIt(end, scenario, end.side(), WcStatus.REM_ABORT_ERR)).isOne();
                assertThat(afterIt(end, scenario, peer, WcStatus.REM_ABORT_ERR)).isEqualTo(isUnsaid ? 0 : 1);
            }
        }
        assertThat(seen).containsExactlyInAnyOrder(EarlyEnd.Kind.values());
    }

    @Test
    void whoIsGoneHasNothingToReceive() {
        for (long seed = 0; seed < SEEDS; seed++) {
            final Scenario scenario = ScenarioDraw.draw(seed, true, FaultTable.ALL);
            for (final EarlyEnd end : EarlyEnd.of(scenario)) {
                for (final Side sender : Side.BOTH) {
                    assertThat(violations(end, scenario, sender, checker -> {
                        assertThat(checker.isReceiverGone()).isFalse();
                        checker.begin();
                        assertThat(checker.isReceiverGone())
                                .isEqualTo(sender != end.side() && end.kind().isForgetful());
                    })).isZero();
                }
            }
        }
    }
}
