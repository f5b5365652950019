package io.vhca.harness.sim.check;

import io.vhca.harness.sim.core.Violations;
import io.vhca.harness.sim.scenario.OpPlan;

/** Both sides' counts agree at the end. */
final class CountsChecker {
    private static final String NAME = "counts agree";

    private CountsChecker() {}

    /**
     * Looks at one direction at the end.
     *
     * @param mustBeWhole nothing may be missing: the connection survived
     */
    static void check(
            final OpPlan plan,
            final SendCompletionChecker sends,
            final int received,
            final boolean mustBeWhole,
            final String where,
            final Violations violations) {
        final int postedMessages = plan.messagesBefore(sends.posted());
        if (received > postedMessages) {
            violations.report(NAME, where, received + " messages received, " + postedMessages + " posted");
        }
        if (!mustBeWhole) {
            return;
        }
        if (sends.posted() != plan.count() || sends.succeeded() != sends.posted()) {
            violations.report(
                    NAME, where,
                    plan.count() + " operations planned, " + sends.posted() + " posted, " + sends.succeeded()
                            + " succeeded");
        }
        if (received != postedMessages) {
            violations.report(NAME, where, postedMessages + " messages posted, " + received + " received");
        }
    }
}
