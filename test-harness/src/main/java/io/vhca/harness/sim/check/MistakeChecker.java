package io.vhca.harness.sim.check;

import io.vhca.api.WcStatus;
import io.vhca.bond.config.AtomicsMode;
import io.vhca.harness.sim.core.Violations;
import io.vhca.harness.sim.fault.Damage;
import io.vhca.harness.sim.scenario.OpPlan;
import io.vhca.harness.sim.scenario.OwnMistake;
import io.vhca.harness.sim.scenario.Scenario;

/**
 * The operation that its application gets wrong ends with the status that names the mistake, what is before it is as
 * if there were none, and nothing behind it is executed.
 */
public final class MistakeChecker {
    private static final String NAME = "a mistake ends in the error that names it";

    private final OwnMistake mistake;
    private final Scenario scenario;
    private final OpPlan plan;
    private final int mostExecuted;
    private final String where;
    private final Violations violations;

    MistakeChecker(
            final OwnMistake mistake, final Scenario scenario, final OpPlan plan, final String where,
            final Violations violations) {
        this.mistake = mistake;
        this.scenario = scenario;
        this.plan = plan;
        this.where = where;
        this.violations = violations;
        mostExecuted = mistake.mostExecuted(plan, scenario.atomics());
    }

    OwnMistake mistake() {
        return mistake;
    }

    /** Of the operations posted so far, those that may be executed. */
    int executable(final int posted) {
        return Math.min(posted, mostExecuted);
    }

    /** Message {@code op} was seen by the receiver's application. */
    void onArrived(final int op) {
        if (op >= mostExecuted) {
            violations.report(NAME, where, plan.describe(op) + " arrived, it is behind " + text());
        }
    }

    /** So many operations are known to have succeeded. */
    void onSuccess(final int succeeded) {
        if (succeeded > mistake.op()) {
            violations.report(NAME, where, "SUCCESS for " + text());
        }
    }

    /** The send queue ended with {@code status} for {@code op}. */
    void onFailed(final int op, final WcStatus status) {
        final boolean isNamed = status == mistake.status() && op == mistake.op();
        if (!isNamed && !mayEndOtherwise(op, status)) {
            violations.report(NAME, where, status + " for " + plan.describe(op) + " because of " + text());
        }
    }

    /**
     * A refusal that is lost is not sent again, nor is the answer to a READ or an atomic that it overtakes: the peer's
     * queue pair has failed. A bond says that, a device is silent.
     */
    private boolean mayEndOtherwise(final int op, final WcStatus status) {
        return !scenario.mustSurvive()
                || op <= mistake.op() && mistake.kind() != OwnMistake.Kind.LOCAL_KEY
                && (scenario.isBond() && !scenario.faults().isEmpty() && status == WcStatus.REM_ABORT_ERR
                        || !scenario.isBond()
                                && (scenario.has(Damage.PACKETS) || scenario.reorders())
                                && status == WcStatus.RETRY_EXC_ERR
                        || scenario.atomics() == AtomicsMode.NATIVE && status == WcStatus.RESP_TIMEOUT_ERR);
    }

    private String text() {
        return plan.describe(mistake.op()) + ", whose mistake is " + mistake.kind();
    }
}
