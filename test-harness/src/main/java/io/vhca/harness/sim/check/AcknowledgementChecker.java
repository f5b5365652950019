package io.vhca.harness.sim.check;

import io.vhca.harness.sim.core.Violations;
import io.vhca.harness.sim.scenario.OpPlan;

/** No success without delivery: whatever the sender was told is done has reached the peer's application. */
final class AcknowledgementChecker {
    private AcknowledgementChecker() {}

    /**
     * Looks at one direction once nothing is under way and the receiver has polled everything.
     *
     * @param succeeded operations that the sender knows to have succeeded: the first so many
     * @param received  messages that the receiver's application got
     */
    static void check(
            final OpPlan plan, final int succeeded, final int received, final String where,
            final Violations violations) {
        final int promised = plan.messagesBefore(succeeded);
        if (received < promised) {
            violations.report(
                    "no success without delivery",
                    where,
                    promised + " messages were completed with success, only " + received + " reached the peer");
        }
    }
}
