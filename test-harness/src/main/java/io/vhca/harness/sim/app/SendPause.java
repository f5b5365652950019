package io.vhca.harness.sim.app;

import io.vhca.api.QpAttributes;
import io.vhca.api.QpState;
import io.vhca.api.QueuePair;
import io.vhca.api.VerbsException;
import io.vhca.api.WcStatus;
import io.vhca.harness.sim.check.Direction;
import io.vhca.harness.sim.core.Draws;
import io.vhca.harness.sim.core.Violations;
import java.util.SplittableRandom;

/**
 * Moves one queue pair to SQD from time to time under traffic, and back to RTS: after a while or, where SQ_DRAINED was
 * asked for, after that event, which must come. What is posted in SQD must wait, and nothing may complete after
 * SQ_DRAINED.
 */
final class SendPause {
    private static final int ONE_IN = 24;
    private static final long SHORTEST_NS = 1_000;
    private static final long LONGEST_NS = 20_000_000;

    private final SplittableRandom random;
    private final Violations violations;
    private final String where;
    private boolean isOn;
    private boolean awaitsEvent;
    private boolean isDrained;
    /** Nothing completes until it goes on. */
    private boolean isQuiet;

    private long untilNs;

    SendPause(final SplittableRandom random, final String where, final Violations violations) {
        this.random = random;
        this.where = where;
        this.violations = violations;
    }

    /** Begins or ends a pause where it is time; true when one began. */
    boolean step(final long nowNs, final QueuePair qp, final Direction out) {
        if (isOn) {
            if (!awaitsEvent && nowNs - untilNs >= 0) {
                move(qp, new QpAttributes().qpState(QpState.RTS));
                end(out);
            }
            return false;
        }
        if (random.nextInt(ONE_IN) != 0 || out.isSent()) {
            return false;
        }
        awaitsEvent = random.nextBoolean();
        untilNs = nowNs + Draws.logUniform(random, SHORTEST_NS, LONGEST_NS);
        isOn = move(qp, new QpAttributes().qpState(QpState.SQD).enSqdAsyncNotify(awaitsEvent ? 1 : 0));
        if (isOn) {
            out.holdFrom(out.sends().posted());
        }
        return isOn;
    }

    /** SQ_DRAINED. */
    void onDrained(final long nowNs) {
        if (isOn && awaitsEvent) {
            awaitsEvent = false;
            isDrained = true;
            untilNs = nowNs + Draws.logUniform(random, SHORTEST_NS, LONGEST_NS);
        }
    }

    /** The send queue's CQ holds no completion any more. */
    void onEmpty() {
        isQuiet = isDrained;
    }

    /** A send completed. */
    void onCompletion(final long wrId, final int statusCode) {
        if (isQuiet && statusCode == WcStatus.SUCCESS.code()) {
            violations.report(
                    "SQ_DRAINED comes when all is done", where, "op " + wrId + " completed after it, still in SQD");
        }
    }

    /** The queue pair is gone, or in error. */
    void end(final Direction out) {
        isOn = false;
        isDrained = false;
        isQuiet = false;
        out.holdFrom(Integer.MAX_VALUE);
    }

    private boolean move(final QueuePair qp, final QpAttributes change) {
        try {
            qp.modify(change);
            return true;
        } catch (final VerbsException e) {
            if (qp.state() != QpState.ERR) {
                violations.report("control calls work", where, String.valueOf(e.getMessage()));
            }
            return false;
        }
    }
}
