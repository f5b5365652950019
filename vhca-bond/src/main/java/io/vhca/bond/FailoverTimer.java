package io.vhca.bond;

import io.vhca.recovery.BondError;
import io.vhca.recovery.FailureReason;
import io.vhca.recovery.RecoveryMachine;
import org.jspecify.annotations.Nullable;

/** Takes the times of one recovery and makes its report. Control lock. */
final class FailoverTimer {
    private final BondContext context;
    private final int qpNum;
    private boolean running;
    private boolean hidden;
    private FailureReason reason = FailureReason.NONE;
    private String fromPath = "";
    private long startedNs;
    private long drainedNs;
    private long connectedNs;
    private long negotiated;
    private long replayed;
    private boolean everDrained;

    FailoverTimer(final BondContext context, final int qpNum) {
        this.context = context;
        this.qpNum = qpNum;
    }

    /** The vQP is the bond's own: its recoveries are not the application's. */
    void hide() {
        hidden = true;
    }

    void begin(final FailureReason why, final String path, final long nowNs) {
        running = true;
        everDrained = false;
        reason = why;
        fromPath = path;
        startedNs = nowNs;
        drainedNs = nowNs;
        connectedNs = nowNs;
        negotiated = 0;
        replayed = 0;
        if (!hidden) {
            context.counters().add(BondCounters.Counter.FAILOVERS, 1);
        }
    }

    void drained(final long nowNs) {
        if (!everDrained) {
            everDrained = true;
            drainedNs = nowNs;
        }
    }

    void negotiated(final int byPeersWord, final int again) {
        negotiated += byPeersWord;
        replayed = again;
    }

    void connected(final long nowNs) {
        connectedNs = nowNs;
    }

    void healthy(final RecoveryMachine machine, final String toPath, final boolean initiator, final long nowNs) {
        finish(machine, toPath, initiator, null, nowNs);
        if (!hidden) {
            context.counters().add(BondCounters.Counter.RECOVERED, 1);
            context.counters().add(BondCounters.Counter.NEGOTIATED, negotiated);
            context.counters().add(BondCounters.Counter.REPLAYED, replayed);
        }
    }

    void failed(final RecoveryMachine machine, final BondError error, final long nowNs) {
        if (!hidden) {
            context.counters().add(BondCounters.Counter.FAILED, 1);
        }
        finish(machine, "", false, error, nowNs);
    }

    private void finish(
            final RecoveryMachine machine,
            final String toPath,
            final boolean initiator,
            final @Nullable BondError error,
            final long nowNs) {
        if (!running || reason == FailureReason.FIRST_CONNECT && error == null) {
            running = false;
            return;
        }
        running = false;
        if (hidden) {
            return;
        }
        context.report(new FailoverReport(
                qpNum,
                machine.epoch(),
                reason,
                fromPath,
                toPath,
                startedNs,
                drainedNs - startedNs,
                Math.max(0, connectedNs - drainedNs),
                error != null ? 0 : nowNs - connectedNs,
                negotiated,
                replayed,
                initiator,
                error));
    }
}
