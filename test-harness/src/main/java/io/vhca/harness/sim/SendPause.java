package io.vhca.harness.sim;

import io.vhca.api.QpAttributes;
import io.vhca.api.QpState;
import io.vhca.api.QueuePair;
import io.vhca.api.VerbsException;
import java.util.SplittableRandom;

/**
 * Moves one queue pair to SQD at times, under traffic, and back: after a while, or when SQ_DRAINED comes, where that
 * was asked for and must come. What is posted meanwhile must wait.
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
        untilNs = nowNs + ScenarioDraw.logUniform(random, SHORTEST_NS, LONGEST_NS);
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
            untilNs = nowNs;
        }
    }

    /** The queue pair is gone, or in error. */
    void end(final Direction out) {
        isOn = false;
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
