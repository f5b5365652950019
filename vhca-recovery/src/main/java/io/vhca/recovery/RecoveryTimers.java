package io.vhca.recovery;

/**
 * The bounds of one recovery machine: of the whole recovery, as far as its time counts; of the present state; and of a
 * close, whichever side began it. Time is an argument.
 */
final class RecoveryTimers {
    /** Of the time for which a peer puts this side off, one part in so many counts: it cannot do so for ever. */
    private static final int LATER_SHARE = 8;

    /** How long the recovery may be without a path. */
    private final StopClock pathless = new StopClock();

    private final Deadline step = new Deadline();
    private final Deadline close = new Deadline();

    /** What has come to its end. */
    enum Due {
        CLOSE,
        RECOVERY,
        STEP,
        NOTHING
    }

    void begin(final long nowNs, final long boundNs) {
        pathless.set(nowNs, boundNs);
    }

    /** The recovery ended, or a close took its place. */
    void endRecovery() {
        pathless.clear();
    }

    void close(final long nowNs, final long boundNs) {
        close.set(nowNs, boundNs);
    }

    void endAll() {
        pathless.clear();
        step.clear();
        close.clear();
    }

    /** The state changed: the bound of the one before ends. Nothing counts while an answer waits to be confirmed. */
    void enter(final RecoveryState state, final long nowNs) {
        step.clear();
        count(state != RecoveryState.ANSWERED, nowNs);
    }

    void step(final long nowNs, final long boundNs) {
        step.set(nowNs, boundNs);
    }

    /** As {@link #step}, where that is sooner. */
    void stepAtMost(final long nowNs, final long boundNs) {
        step.atMost(nowNs, boundNs);
    }

    /** Whether time counts as time without a path from now on. */
    void count(final boolean doesCount, final long nowNs) {
        if (doesCount) {
            pathless.run(nowNs);
        } else {
            pathless.stop(nowNs);
        }
    }

    /** The present state waits so long because the peer, which can be reached, said so. */
    void putOff(final long nowNs, final long pauseNs) {
        pathless.stop(nowNs);
        pathless.charge(nowNs, pauseNs / LATER_SHARE);
    }

    boolean isAnyDue(final long nowNs) {
        return pathless.due(nowNs) || step.due(nowNs) || close.due(nowNs);
    }

    /** What is due first in rank; a step that is due counts as told. */
    Due takeDue(final long nowNs) {
        if (close.due(nowNs)) {
            return Due.CLOSE;
        }
        if (pathless.due(nowNs)) {
            return Due.RECOVERY;
        }
        final boolean isStep = step.due(nowNs);
        if (isStep) {
            step.clear();
        }
        return isStep ? Due.STEP : Due.NOTHING;
    }

    /** Long.MAX_VALUE for never. */
    long nextDeadlineNs() {
        return pathless.earlier(step.earlier(close.earlier(Long.MAX_VALUE)));
    }
}
