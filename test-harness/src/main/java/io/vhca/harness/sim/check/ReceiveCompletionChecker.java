package io.vhca.harness.sim.check;

import io.vhca.api.WcStatus;
import io.vhca.harness.sim.core.Violations;

/** Each receive work request of a QP completes exactly once and in posting order; after a failure only flushes come. */
public final class ReceiveCompletionChecker {
    private static final String NAME = "receives completed once and in order";

    private final String where;
    private final Violations violations;
    private long posted;
    private long owedTo = Long.MAX_VALUE;
    private long next;
    private WcStatus firstError = WcStatus.SUCCESS;

    public ReceiveCompletionChecker(final String where, final Violations violations) {
        this.where = where;
        this.violations = violations;
    }

    /** Receives 0 .. {@code count} - 1 have been posted. */
    public void onPosted(final long count) {
        posted = count;
    }

    /** That receive was posted in ERR, with all behind it, on a device that need not flush it. */
    public void mayForgetFrom(final long number) {
        owedTo = Math.min(owedTo, number);
    }

    /** True when no completion is owed any more, now that none will find a message. */
    public boolean isSettled() {
        return next >= Math.min(posted, owedTo);
    }

    public long posted() {
        return posted;
    }

    /** Receives that completed: all those before this one. */
    public long completed() {
        return next;
    }

    public boolean hasFailed() {
        return firstError != WcStatus.SUCCESS;
    }

    /**
     * A completion was polled; {@code wrId} is the receive's number.
     *
     * @return true when it is the success of the receive that was due
     */
    public boolean onCompletion(final long wrId, final int statusCode) {
        final WcStatus status = WcStatus.fromCode(statusCode);
        if (wrId != next || wrId >= posted) {
            violations.report(
                    NAME, where, status + " for receive " + wrId + ", due was " + next + " of " + posted + " posted");
            return false;
        }
        next++;
        if (status == WcStatus.SUCCESS) {
            if (hasFailed()) {
                violations.report(NAME, where, "SUCCESS for receive " + wrId + " after " + firstError);
            }
            return true;
        }
        if (hasFailed() && status != WcStatus.WR_FLUSH_ERR) {
            violations.report(
                    NAME, where,
                    status + " for receive " + wrId + " after " + firstError + ": only flushes may follow");
        }
        if (!hasFailed()) {
            firstError = status;
        }
        return false;
    }
}
