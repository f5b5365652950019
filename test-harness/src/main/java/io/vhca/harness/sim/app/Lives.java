package io.vhca.harness.sim.app;

import io.vhca.harness.sim.check.Directions;
import io.vhca.harness.sim.core.Feature;
import io.vhca.harness.sim.core.History;
import io.vhca.harness.sim.core.HistoryEvent;
import io.vhca.harness.sim.core.PerSide;
import io.vhca.harness.sim.core.Side;
import io.vhca.harness.sim.fault.Damage;
import io.vhca.harness.sim.scenario.Ending;
import io.vhca.harness.sim.scenario.Scenario;
import io.vhca.harness.sim.scenario.Trait;
import java.util.Arrays;

/**
 * The lives of a scenario's connections. One that has done all its work, with success, ends and is made once more, by
 * queue pairs made anew, or by the same ones, all at the same time, after RESET: numbers, keys, words and ids come to
 * be used again while faults go on.
 */
final class Lives {
    private final Scenario scenario;
    private final PerSide<SimApp> apps;
    private final Directions directions;
    private final History history;
    private final int[] left;
    private final boolean[] isBetween;
    private final boolean isTogether;
    private final EarlyEnds ends;

    Lives(
            final Scenario scenario, final PerSide<SimApp> apps, final Directions directions,
            final History history) {
        this.scenario = scenario;
        this.apps = apps;
        this.directions = directions;
        this.history = history;
        left = new int[scenario.qps().size()];
        Arrays.fill(left, scenario.lives() - 1);
        isBetween = new boolean[left.length];
        isTogether = scenario.has(Trait.OUT_OF_BAND);
        ends = new EarlyEnds(scenario, apps, directions, history);
    }

    /** Begins the lives that are due, and ends those that a mistake ended; both processes live. Returns how many. */
    int doWork(final long nowNs) {
        for (int i = 0; i < left.length; i++) {
            final AppConnection one = apps.left().connection(i);
            final AppConnection other = apps.right().connection(i);
            // The left end is established in the new life alone, which may be over before the right end hears of it.
            isBetween[i] &= !apps.left().cm().hasGivenUp(i) && !apps.right().cm().hasGivenUp(i)
                    && !(one.isEstablished() && (other.isEstablished() || !one.works()));
        }
        final boolean areAllDone = areAllDone();
        int begun = endMistaken(nowNs) + ends.doWork(nowNs);
        for (int i = 0; i < left.length; i++) {
            if (isTogether ? areAllDone : isDone(i) || isEndedAndOver(i)) {
                begin(nowNs, i);
                begun++;
            }
        }
        return begun;
    }

    /** Who erred, and has all back, ends the connection; without a connection manager the peer does so by itself. */
    private int endMistaken(final long nowNs) {
        int ended = 0;
        for (int i = 0; i < left.length; i++) {
            final Side side = directions.mistakenSide(i);
            if (side != null && apps.of(side).connection(i).isOver(nowNs)) {
                apps.of(side).cm().end(nowNs, i, Ending.DISCONNECTED);
                if (isTogether) {
                    apps.of(side.other()).cm().end(nowNs, i, Ending.DISCONNECTED);
                }
                ended++;
            }
        }
        return ended;
    }

    /** True when a connection of which an application erred has ended at both ends. */
    boolean areMistakenEnded() {
        for (int i = 0; i < left.length; i++) {
            if (directions.mistakenSide(i) != null && !(isEnded(Side.LEFT, i) && isEnded(Side.RIGHT, i))) {
                return false;
            }
        }
        return true;
    }

    /** In ERR; or over before its application heard that it was connected, which has no connection to end then. */
    private boolean isEnded(final Side side, final int index) {
        final AppConnection connection = apps.of(side).connection(index);
        return connection.isInError() || !connection.isEstablished() && apps.of(side).cm().isOver(index);
    }

    private boolean areAllDone() {
        for (int i = 0; i < left.length; i++) {
            if (!isDone(i)) {
                return false;
            }
        }
        return true;
    }

    private boolean isDone(final int index) {
        final AppConnection one = apps.left().connection(index);
        final AppConnection other = apps.right().connection(index);
        return left[index] > 0 && !isBetween[index] && !ends.isPending(index) && one.works() && other.works()
                && one.isFinished(false) && other.isFinished(false);
    }

    /** An application ended it, all of that is over, and it lives again. */
    private boolean isEndedAndOver(final int index) {
        return left[index] > 0 && !isBetween[index] && ends.hasEnded(index) && ends.isHeard(index)
                && apps.left().isFinished(index, apps.right()) && apps.right().isFinished(index, apps.left());
    }

    /** True while a connection is yet to be ended, or an end of it has not heard that it was. */
    boolean areEndsPending() {
        for (int i = 0; i < left.length; i++) {
            if (ends.isPending(i)) {
                return true;
            }
        }
        return !ends.areHeard();
    }

    private void begin(final long nowNs, final int index) {
        left[index]--;
        isBetween[index] = true;
        history.add(nowNs, Side.LEFT.ordinal(), index, HistoryEvent.LIFE_OVER, scenario.lives() - left[index] - 1, 0);
        history.used(Feature.NEXT_LIFE, 1);
        final boolean hasEnded = ends.hasEnded(index);
        directions.endLife(
                index, scenario.mustSurvive() && !hasEnded, !hasEnded || !scenario.has(Damage.ACKNOWLEDGED_DATA));
        if (hasEnded) {
            apps.left().cm().forgive(index);
            apps.right().cm().forgive(index);
        }
        apps.left().cm().liveAgain(nowNs, index);
        if (isTogether) {
            apps.right().cm().liveAgain(nowNs, index);
        }
    }

    /** True while a connection is between two lives: what its ends say is of the one before. */
    boolean isBetween() {
        for (final boolean one : isBetween) {
            if (one) {
                return true;
            }
        }
        return false;
    }
}
