package io.vhca.harness.sim.app;

import io.vhca.api.QpAttributes;
import io.vhca.api.QpState;
import io.vhca.api.QueuePair;
import io.vhca.harness.sim.core.Feature;
import io.vhca.harness.sim.core.History;
import io.vhca.harness.sim.core.Violations;
import io.vhca.harness.sim.scenario.RnrPatience;
import org.jspecify.annotations.Nullable;

/**
 * What one end of a connection has said of receivers that are not ready: a bond answers so when it is asked, and gives
 * it to the physical queue pair in use, whichever that is.
 */
final class RnrSettings {
    private static final String NAME = "RNR retries and timer are the application's";
    private static final int LOOK_ONE_IN = 8;
    private static final int UNKNOWN = -1;

    private final RnrPatience patience;
    private final String where;
    private final Violations violations;
    private int timer = UNKNOWN;
    /** It has said so once: before, the first physical queue pair may have died before it was connected. */
    private boolean isKnown;

    private int turns;

    RnrSettings(final RnrPatience patience, final String where, final Violations violations) {
        this.patience = patience;
        this.where = where;
        this.violations = violations;
    }

    /** There is a new queue pair, which has been told nothing. */
    void reset() {
        timer = UNKNOWN;
        isKnown = false;
    }

    RnrPatience patience() {
        return patience;
    }

    /** The timer that the queue pair is told now; that one where any would do. */
    int timer(final int any) {
        timer = patience.timer() == UNKNOWN ? any : patience.timer();
        return timer;
    }

    /** The application has a turn. */
    void onTurn(final QueuePair qp) {
        if (++turns % LOOK_ONE_IN == 0 && qp.state() == QpState.RTS) {
            final QpAttributes found = qp.query();
            isKnown |= found.rnrRetry() == patience.retries();
            if (isKnown) {
                compare(found, "it says");
            }
        }
    }

    /** Nothing is wrong any more: the same of the physical queue pair, where there is one now. */
    void onQuiet(final @Nullable QueuePair physical, final History history) {
        if (physical != null && physical.state() == QpState.RTS) {
            compare(physical.query(), "the physical queue pair has");
            history.used(Feature.RNR_SETTINGS, patience.timer() == UNKNOWN ? 0 : 1);
        }
    }

    private void compare(final QpAttributes found, final String who) {
        if (found.rnrRetry() != patience.retries() || timer != UNKNOWN && found.minRnrTimer() != timer) {
            violations.report(
                    NAME, where,
                    who + " rnr_retry " + found.rnrRetry() + " and min_rnr_timer " + found.minRnrTimer()
                            + ", told were " + patience.retries() + " and " + (timer == UNKNOWN ? "none" : timer));
        }
    }
}
