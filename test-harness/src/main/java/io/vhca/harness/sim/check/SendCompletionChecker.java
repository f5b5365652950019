package io.vhca.harness.sim.check;

import io.vhca.api.SendFlags;
import io.vhca.api.WcOpcode;
import io.vhca.api.WcStatus;
import io.vhca.api.WrOpcode;
import io.vhca.harness.sim.core.Violations;
import io.vhca.harness.sim.scenario.OpPlan;

/**
 * Each send work request of a QP completes exactly once and in posting order; an unsignaled one is covered by a later
 * success. After a failure: the error first, then a flush for every request that is left, in order.
 */
public final class SendCompletionChecker {
    private static final String NAME = "completed once and in order";

    private final OpPlan plan;
    private final boolean isSignalAll;
    private final String where;
    private final Violations violations;
    private int posted;
    private int owedTo = Integer.MAX_VALUE;
    private int next;
    private int succeeded;
    private boolean hasFailed;
    private boolean mayFlush;
    private int toldFrom = Integer.MAX_VALUE;
    private WcStatus firstError = WcStatus.SUCCESS;

    SendCompletionChecker(
            final OpPlan plan, final boolean isSignalAll, final String where, final Violations violations) {
        this.plan = plan;
        this.isSignalAll = isSignalAll;
        this.where = where;
        this.violations = violations;
    }

    /** Operations 0 .. {@code count} - 1 have been posted. */
    public void onPosted(final int count) {
        posted = count;
    }

    /** The connection was ended by one of the applications: a flush may come without an error before it. */
    public void onDisconnect() {
        mayFlush = true;
    }

    /**
     * QP_FATAL of a bond: a request posted before it that is unfinished completes with the error; what is posted later
     * is flushed.
     */
    public void onFatal() {
        toldFrom = Math.min(toldFrom, posted);
    }

    /** That operation was posted in ERR, with all behind it, on a device that need not flush it. */
    public void mayForgetFrom(final int op) {
        owedTo = Math.min(owedTo, op);
    }

    /** Requests posted so far. */
    public int posted() {
        return posted;
    }

    /** Requests known to be complete, with or without success: all those before this one. */
    public int completed() {
        return next;
    }

    /** Requests known to have succeeded: all those before this one. */
    public int succeeded() {
        return succeeded;
    }

    /**
     * True when no completion is owed any more, now that nothing can be posted: unsignaled requests at the end that
     * succeeded have nobody to cover them.
     */
    public boolean isSettled() {
        if (hasFailed) {
            return next >= Math.min(posted, owedTo);
        }
        for (int op = next; op < posted; op++) {
            if (isSignaled(op)) {
                return false;
            }
        }
        return true;
    }

    /** The status that ended the queue; SUCCESS while none did. */
    public WcStatus firstError() {
        return firstError;
    }

    public boolean hasFailed() {
        return hasFailed;
    }

    /** A completion was polled; {@code wrId} is the operation's index. */
    public void onCompletion(final long wrId, final int statusCode, final int wcOpcode, final int byteLen) {
        final WcStatus status = WcStatus.fromCode(statusCode);
        if (wrId < 0 || wrId >= posted) {
            violations.report(NAME, where, status + " for work request " + wrId + ", which was never posted");
            return;
        }
        final int op = (int) wrId;
        if (op < next) {
            violations.report(NAME, where, status + " for " + plan.describe(op) + ", which was complete already");
            return;
        }
        for (int skipped = next; skipped < op; skipped++) {
            if (hasFailed || isSignaled(skipped)) {
                violations.report(
                        NAME, where, status + " for " + plan.describe(op) + " while the completion of "
                                + plan.describe(skipped) + " is still owed");
            }
        }
        next = op + 1;
        if (status == WcStatus.SUCCESS) {
            onSuccess(op, wcOpcode, byteLen);
        } else {
            onError(op, status);
        }
    }

    private void onSuccess(final int op, final int wcOpcode, final int byteLen) {
        if (hasFailed) {
            violations.report(NAME, where, "SUCCESS for " + plan.describe(op) + " after " + firstError);
            return;
        }
        succeeded = op + 1;
        if (!isSignaled(op)) {
            violations.report(NAME, where, "SUCCESS for " + plan.describe(op) + ", which was not signaled");
        }
        final boolean hasAnswer = plan.isRead(op) || plan.atomics().isAtomic(op);
        if (wcOpcode != expected(plan.opcode(op)).code() || hasAnswer && byteLen != plan.lengthBytes(op)) {
            violations.report(
                    NAME, where, plan.describe(op) + " completed as " + WcOpcode.fromCode(wcOpcode) + " of " + byteLen
                            + " bytes");
        }
    }

    private static WcOpcode expected(final WrOpcode posted) {
        return switch (posted) {
            case RDMA_READ -> WcOpcode.RDMA_READ;
            case RDMA_WRITE, RDMA_WRITE_WITH_IMM -> WcOpcode.RDMA_WRITE;
            case ATOMIC_FETCH_AND_ADD -> WcOpcode.FETCH_ADD;
            case ATOMIC_CMP_AND_SWP -> WcOpcode.COMP_SWAP;
            default -> WcOpcode.SEND;
        };
    }

    private void onError(final int op, final WcStatus status) {
        if (status == WcStatus.RNR_RETRY_EXC_ERR) {
            violations.report(
                    "a receive that is posted is found", where, status + " for " + plan.describe(op));
        }
        if (!hasFailed) {
            hasFailed = true;
            firstError = status;
            succeeded = op;
            if (status == WcStatus.WR_FLUSH_ERR && !mayFlush && op < toldFrom) {
                violations.report(
                        NAME, where, plan.describe(op) + " was flushed without an error before it that says why");
            }
        } else if (status != WcStatus.WR_FLUSH_ERR) {
            violations.report(
                    NAME, where,
                    status + " for " + plan.describe(op) + " after " + firstError + ": only flushes may follow");
        }
    }

    private boolean isSignaled(final int op) {
        return isSignalAll || (plan.flags(op) & SendFlags.SIGNALED) != 0;
    }
}
