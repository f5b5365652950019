package io.vhca.harness.sim.app;

import io.vhca.harness.sim.check.Direction;
import io.vhca.harness.sim.check.Directions;
import io.vhca.harness.sim.core.Feature;
import io.vhca.harness.sim.core.History;
import io.vhca.harness.sim.core.HistoryEvent;
import io.vhca.harness.sim.core.PerSide;
import io.vhca.harness.sim.core.Side;
import io.vhca.harness.sim.scenario.EarlyEnd;
import io.vhca.harness.sim.scenario.Scenario;
import io.vhca.harness.sim.scenario.Trait;
import java.util.Arrays;

/**
 * Ends connections under traffic, as the scenario says, each once its time has come. Who has no connection manager
 * tells the other application by itself, a while later.
 */
final class EarlyEnds {
    private static final long UNKNOWN = Long.MIN_VALUE;

    private final PerSide<SimApp> apps;
    private final Directions directions;
    private final History history;
    private final boolean isOutOfBand;
    private final boolean isAny;
    private final long[] dueNs;
    private final boolean[] hasBegun;
    private final boolean[] isTold;

    EarlyEnds(
            final Scenario scenario, final PerSide<SimApp> apps, final Directions directions, final History history) {
        this.apps = apps;
        this.directions = directions;
        this.history = history;
        isOutOfBand = scenario.has(Trait.OUT_OF_BAND);
        isAny = scenario.has(Trait.EARLY_END);
        final int count = scenario.qps().size();
        dueNs = new long[count];
        Arrays.fill(dueNs, UNKNOWN);
        hasBegun = new boolean[count];
        isTold = new boolean[count];
    }

    /** Ends what is due. Returns how many. */
    int doWork(final long nowNs) {
        int ended = 0;
        for (int i = 0; isAny && i < dueNs.length; i++) {
            final EarlyEnd end = directions.earlyEnd(i);
            if (end != null && (hasBegun[i] ? mustTell(nowNs, i, end) : isDue(nowNs, i, end))) {
                ended++;
                end(nowNs, i, end);
            }
        }
        return ended;
    }

    private void end(final long nowNs, final int index, final EarlyEnd end) {
        if (hasBegun[index]) {
            isTold[index] = true;
            apps.of(end.side().other()).cm().end(nowNs, index, EarlyEnd.Kind.DISCONNECTED);
            return;
        }
        hasBegun[index] = true;
        history.add(
                nowNs, end.side().ordinal(), index, HistoryEvent.EARLY_END, end.kind().ordinal(),
                end.isInRecovery() ? 1 : 0);
        history.used(Feature.EARLY_END, 1);
        if (isRecovering(index)) {
            history.used(Feature.END_IN_RECOVERY, 1);
        }
        directions.endEarly(index);
        for (final Side side : Side.BOTH) {
            apps.of(side).connection(index).endEarly(nowNs, side == end.side(), end.silenceNs());
        }
        dueNs[index] = nowNs + Math.max(end.silenceNs(), end.delayNs());
        apps.of(end.side()).cm().end(nowNs, index, end.kind());
    }

    private boolean isDue(final long nowNs, final int index, final EarlyEnd end) {
        final Direction out = directions.of(index, end.side());
        if (!works(index) || out.sends().posted() < Math.min(end.op(), out.plan().count())) {
            return false;
        }
        if (dueNs[index] == UNKNOWN && (!end.isInRecovery() || isRecovering(index) || isDone(index))) {
            dueNs[index] = nowNs + end.delayNs();
        }
        return dueNs[index] != UNKNOWN && dueNs[index] - nowNs <= 0;
    }

    private boolean mustTell(final long nowNs, final int index, final EarlyEnd end) {
        return isOutOfBand && !isTold[index] && dueNs[index] - nowNs <= 0
                && apps.of(end.side().other()).connection(index).isEstablished();
    }

    private boolean works(final int index) {
        return apps.left().connection(index).works() && apps.right().connection(index).works();
    }

    private boolean isDone(final int index) {
        return apps.left().connection(index).isFinished(false) && apps.right().connection(index).isFinished(false);
    }

    private boolean isRecovering(final int index) {
        return apps.left().isRecovering(index) || apps.right().isRecovering(index);
    }

    /** True while a connection is yet to be ended. */
    boolean isPending(final int index) {
        return isAny && directions.earlyEnd(index) != null && !hasBegun[index] && works(index);
    }

    /** True when a connection was ended in its present life. */
    boolean hasEnded(final int index) {
        return isAny && hasBegun[index] && directions.earlyEnd(index) != null;
    }

    /** True when both ends of those that were ended know. */
    boolean areHeard() {
        for (int i = 0; isAny && i < dueNs.length; i++) {
            if (hasEnded(i) && !isHeard(i)) {
                return false;
            }
        }
        return true;
    }

    /** True when both ends know that the connection is over, and have polled all. */
    boolean isHeard(final int index) {
        return apps.left().cm().isOver(index) && apps.right().cm().isOver(index) && directions.arePolled(index);
    }
}
