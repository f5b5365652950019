package io.vhca.harness.sim.check;

import io.vhca.api.WcStatus;
import io.vhca.harness.sim.core.Side;
import io.vhca.harness.sim.core.Violations;
import io.vhca.harness.sim.scenario.EarlyEnd;
import io.vhca.harness.sim.scenario.OpPlan;
import io.vhca.harness.sim.scenario.Scenario;
import io.vhca.harness.sim.scenario.Trait;

/**
 * What is not done when an application ends its connection under traffic is flushed: at its own end without any error,
 * at the other end with one, if any, that says that the peer has failed.
 */
final class EndChecker {
    private static final String NAME = "who ends a connection is flushed";

    private final EarlyEnd end;
    private final Scenario scenario;
    private final OpPlan plan;
    private final Side sender;
    private final String where;
    private final Violations violations;
    private boolean hasBegun;

    EndChecker(
            final EarlyEnd end, final Scenario scenario, final OpPlan plan, final Side sender, final String where,
            final Violations violations) {
        this.end = end;
        this.scenario = scenario;
        this.plan = plan;
        this.sender = sender;
        this.where = where;
        this.violations = violations;
    }

    EarlyEnd end() {
        return end;
    }

    /** The application ends it now. */
    void begin() {
        hasBegun = true;
    }

    /** True once the receiver is told of nothing more. */
    boolean isReceiverGone() {
        return hasBegun && end.side() != sender && end.kind().isForgetful();
    }

    /** The send queue ended with {@code status} for {@code op}. */
    void onFailed(final int op, final WcStatus status) {
        final boolean isRight = status == WcStatus.WR_FLUSH_ERR
                || end.side() != sender && mayFailPeer() && status == WcStatus.REM_ABORT_ERR;
        if (scenario.mustSurvive() && !(hasBegun && isRight)) {
            violations.report(
                    NAME, where, status + " for " + plan.describe(op) + (hasBegun ? " after it" : " before it"));
        }
    }

    /** Who has heard no goodbye finds a queue pair that has failed, or none. */
    private boolean mayFailPeer() {
        return end.kind().isUnsaid() || scenario.has(Trait.OUT_OF_BAND);
    }
}
