package io.vhca.bond.core;

import io.vhca.recovery.BondError;
import io.vhca.recovery.wire.FailureReason;
import java.util.function.Consumer;
import org.agrona.concurrent.NanoClock;
import org.jspecify.annotations.Nullable;

/**
 * Takes the times of one recovery and makes its report. Control lock.
 *
 * <p>Stages follow each other within one turn of the bond, so each is dated by a clock of its own and not by the turn.
 */
public final class FailoverTimer {
    private final int qpNum;
    private final NanoClock clock;
    private final BondCounters counters;
    private final Consumer<FailoverReport> reports;
    private boolean running;
    private boolean counted;
    private boolean isMove;
    private boolean hidden;
    private FailureReason reason = FailureReason.NONE;
    private String fromPath = "";
    private long startedNs;
    private long drainedNs;
    private long connectedNs;
    private long negotiated;
    private long replayed;
    private boolean everDrained;

    public FailoverTimer(
            final int qpNum,
            final NanoClock clock,
            final BondCounters counters,
            final Consumer<FailoverReport> reports) {
        this.qpNum = qpNum;
        this.clock = clock;
        this.counters = counters;
        this.reports = reports;
    }

    /** The vQP is the bond's own: its recoveries are not the application's. */
    public void hide() {
        hidden = true;
    }

    public boolean isHidden() {
        return hidden;
    }

    /** What may turn out to be a close, an own one or the peer's, is counted when it has turned out not to be. */
    public void begin(final FailureReason why, final String path) {
        final long nowNs = clock.nanoTime();
        running = true;
        counted = false;
        isMove = false;
        everDrained = false;
        reason = why;
        fromPath = path;
        startedNs = nowNs;
        drainedNs = nowNs;
        connectedNs = nowNs;
        negotiated = 0;
        replayed = 0;
        if (!mayBeClose(why)) {
            count();
        }
    }

    private static boolean mayBeClose(final FailureReason why) {
        return switch (why) {
            case NONE, CM_DISCONNECTED, PEER_REQUEST -> true;
            default -> false;
        };
    }

    /** Once a recovery; a first connect is none. */
    private void count() {
        if (!counted && !hidden && reason != FailureReason.FIRST_CONNECT) {
            counters.add(BondCounters.Counter.FAILOVERS, 1);
            isMove = reason == FailureReason.PLANNED;
            counters.add(BondCounters.Counter.MOVES, isMove ? 1 : 0);
        }
        counted = true;
    }

    public void drained() {
        if (!everDrained) {
            everDrained = true;
            drainedNs = clock.nanoTime();
        }
    }

    public void negotiated(final int byPeersWord, final int again) {
        negotiated += byPeersWord;
        replayed = again;
    }

    public void connected() {
        connectedNs = clock.nanoTime();
    }

    /** @param last what the recovery is taken for by now: what began as a failure may be a move of the peer's */
    public void healthy(final FailureReason last, final int epoch, final String toPath, final boolean initiator) {
        if (last == FailureReason.PLANNED) {
            reason = last;
        }
        finish(epoch, toPath, initiator, null);
        if (!hidden && reason != FailureReason.FIRST_CONNECT) {
            count();
            counters.add(BondCounters.Counter.RECOVERED, 1);
            counters.add(BondCounters.Counter.MOVED, isMove ? 1 : 0);
            counters.add(BondCounters.Counter.NEGOTIATED, negotiated);
            counters.add(BondCounters.Counter.REPLAYED, replayed);
        }
    }

    public void failed(final int epoch, final BondError error) {
        if (running) {
            count();
        }
        if (!hidden) {
            counters.add(BondCounters.Counter.FAILED, 1);
        }
        finish(epoch, "", false, error);
    }

    private void finish(
            final int epoch,
            final String toPath,
            final boolean initiator,
            final @Nullable BondError error) {
        if (!running || reason == FailureReason.FIRST_CONNECT && error == null) {
            running = false;
            return;
        }
        running = false;
        if (hidden) {
            return;
        }
        final long endNs = clock.nanoTime();
        // One that failed spent all its time in the stage that it came to; what was connected since did not last.
        final long fencedNs = error == null || everDrained ? drainedNs : endNs;
        final long madeNs = error == null ? connectedNs : endNs;
        reports.accept(new FailoverReport(
                qpNum,
                epoch,
                reason,
                fromPath,
                toPath,
                startedNs,
                fencedNs - startedNs,
                Math.max(0, madeNs - fencedNs),
                endNs - madeNs,
                negotiated,
                replayed,
                initiator,
                error));
    }
}
