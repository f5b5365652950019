package io.vhca.bond.control;

import io.vhca.bond.core.BondCore;
import io.vhca.bond.core.DutyCycle;
import io.vhca.bond.failover.MemoryFence;
import io.vhca.bond.failover.QpRecovery;
import io.vhca.bond.failover.SilenceMonitor;
import io.vhca.bond.verbs.AttentionQueue;
import io.vhca.bond.verbs.BondQueuePair;
import io.vhca.bond.verbs.QpNotes;
import io.vhca.recovery.wire.FailureReason;

/** Deals with what the data path has noted about vQPs. Control lock. */
public final class NotedWork implements DutyCycle {
    private final BondCore core;
    private final AttentionQueue<BondQueuePair> attention;
    private final SilenceMonitor silence;
    private final ControlPlane plane;

    public NotedWork(
            final BondCore core,
            final AttentionQueue<BondQueuePair> attention,
            final SilenceMonitor silence,
            final ControlPlane plane) {
        this.core = core;
        this.attention = attention;
        this.silence = silence;
        this.plane = plane;
    }

    @Override
    public int doWork(final long nowNs) {
        assert core.holdsLock();
        int count = 0;
        for (BondQueuePair qp = attention.poll(); qp != null; qp = attention.poll()) {
            handle(qp, qp.takeNotes(), nowNs);
            count++;
        }
        return count;
    }

    /** At once while anything is noted. */
    @Override
    public long nextDeadlineNs() {
        return attention.isEmpty() ? Long.MAX_VALUE : core.nowNs();
    }

    /** Nothing is left to do for a vQP that is over, nor much for one that is not connected yet. */
    private void handle(final BondQueuePair qp, final int taken, final long nowNs) {
        final QpRecovery recovery = QpRecovery.of(qp);
        if ((taken & QpNotes.OVERRUN) != 0) {
            MemoryFence.fence(core, qp);
            return;
        }
        if (!recovery.isAlive()) {
            if ((taken & QpNotes.APPLICATION_ERROR) != 0 && !recovery.isDead()) {
                recovery.onApplicationAbort(); // a receive failed before it was known that the connection stands
            }
            return;
        }
        if ((taken & QpNotes.APPLICATION_ERROR) != 0) {
            recovery.onApplicationError(nowNs);
            return;
        }
        final FailureReason reason = qp.notes().failure();
        // None: what was noted happened to a physical queue pair that is not in use any more.
        if ((taken & QpNotes.PATH_FAILURE) != 0 && reason != FailureReason.NONE) {
            if (reason == FailureReason.HEARTBEAT) {
                silence.probeFailed(qp, nowNs);
            } else {
                recovery.onPathFailure(reason, nowNs);
            }
        }
        if ((taken & QpNotes.KEY_MISSING) != 0) {
            plane.resolve(qp);
        }
        if ((taken & QpNotes.ATOMIC) != 0) {
            plane.atomics().begin(qp);
        }
        if ((taken & QpNotes.UNCONFIRMED) != 0) {
            plane.confirmations().begin(qp, nowNs);
        }
        recovery.tryDrain();
    }
}
