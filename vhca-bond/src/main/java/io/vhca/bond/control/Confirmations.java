package io.vhca.bond.control;

import io.vhca.bond.core.BondCore;
import io.vhca.bond.core.DutyCycle;
import io.vhca.bond.core.EarliestDeadline;
import io.vhca.bond.failover.QpRecovery;
import io.vhca.bond.queue.VirtualSendQueue;
import io.vhca.bond.verbs.BondQueuePair;
import io.vhca.recovery.RewindPlan;
import io.vhca.recovery.WriteReplay;
import io.vhca.recovery.wire.ReceiverCounts;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Holds success completions until the peer's bond has the data ({@code confirm = peer}): asks it over the control link
 * what it has received and what its ledger word says, and hands out what that proves. One question at a time for each
 * vQP, so many completions share one. Control lock.
 *
 * <p>After a failure nothing is asked: the counts that the recovery exchanges say as much.
 */
public final class Confirmations implements DutyCycle {
    private static final long FIRST_PAUSE_NS = 5_000;
    private static final long LONGEST_PAUSE_NS = 1_000_000;
    private static final long RETRY_NS = 5_000_000;

    private final BondCore core;
    private final ControlPlane plane;
    private final Map<BondQueuePair, Waiting> waiting = new LinkedHashMap<>();

    /** One vQP with completions held. */
    private static final class Waiting {
        private long dueNs;
        private long pauseNs = FIRST_PAUSE_NS;
        private boolean isAsked;
    }

    Confirmations(final BondCore core, final ControlPlane plane) {
        this.core = core;
        this.plane = plane;
    }

    /** Hardware has completed something that the application was not told. */
    public void begin(final BondQueuePair qp, final long nowNs) {
        assert core.holdsLock();
        final Waiting known = waiting.computeIfAbsent(qp, unused -> new Waiting());
        if (!known.isAsked) {
            known.dueNs = nowNs;
        }
    }

    /** The vQP is gone. */
    public void end(final BondQueuePair qp) {
        assert core.holdsLock();
        waiting.remove(qp);
    }

    @Override
    public int doWork(final long nowNs) {
        assert core.holdsLock();
        int work = 0;
        if (!waiting.isEmpty()) {
            for (final BondQueuePair qp : List.copyOf(waiting.keySet())) {
                final Waiting one = waiting.get(qp);
                if (one != null && nowNs - one.dueNs >= 0) {
                    step(qp, one, nowNs);
                    work++;
                }
            }
        }
        return work;
    }

    private void step(final BondQueuePair qp, final Waiting one, final long nowNs) {
        final VirtualSendQueue sends = qp.sendQueue();
        if (!QpRecovery.of(qp).isAlive() || sends.hwCompletedSeq() <= sends.retired()) {
            waiting.remove(qp);
            return;
        }
        one.dueNs = nowNs + (QpRecovery.of(qp).healthyLink() == null ? LONGEST_PAUSE_NS : RETRY_NS);
        final ControlLink link = QpRecovery.of(qp).healthyLink() == null ? null : plane.linkOf(qp);
        if (link == null) {
            return;
        }
        if (one.isAsked) {
            qp.probe(); // the peer may not know yet that it is connected, or its device may be gone
        }
        if (!one.isAsked || link.isIdle()) {
            one.isAsked = true;
            link.calls().askCounts(qp);
        }
    }

    /** The peer's bond answered. */
    void onCounts(final BondQueuePair qp, final long received, final long ledger) {
        assert core.holdsLock();
        final Waiting one = waiting.get(qp);
        if (one == null || !QpRecovery.of(qp).isAlive()) {
            return;
        }
        final VirtualSendQueue sends = qp.sendQueue();
        final long before = sends.retired();
        final RewindPlan plan = sends.judge(RewindPlan::of, new ReceiverCounts(received, ledger), WriteReplay.REPLAY);
        qp.completeOwed(Math.min(plan.completeUpTo(), sends.hwCompletedSeq()));
        assert sends.retired() <= sends.hwCompletedSeq() : "what hardware has not completed was handed out";
        if (sends.hasBacklog()) {
            sends.pumpIfIdle();
        }
        final long nowNs = core.nowNs();
        one.isAsked = false;
        one.pauseNs = sends.retired() > before ? FIRST_PAUSE_NS : Math.min(2 * one.pauseNs, LONGEST_PAUSE_NS);
        one.dueNs = nowNs + one.pauseNs;
        if (sends.hwCompletedSeq() <= sends.retired()) {
            waiting.remove(qp);
        }
    }

    /** When {@link #doWork} has something to do; {@link Long#MAX_VALUE} for never. */
    @Override
    public long nextDeadlineNs() {
        assert core.holdsLock();
        final EarliestDeadline next = new EarliestDeadline();
        waiting.values().forEach(one -> next.add(one.dueNs));
        return next.atNs();
    }
}
