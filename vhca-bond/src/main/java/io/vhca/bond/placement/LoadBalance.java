package io.vhca.bond.placement;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Decides for balance-tlb which vQPs move to another member. Pure: loads and time are arguments.
 *
 * <p>The load of a member is what its vQPs send, over the speed of its link. Moves are worth their pauses when they
 * lower the highest load by {@link #LEAST_GAIN}. Only when they were so at every look for {@link #PATIENCE_NS} are they
 * made, which also gives the loads that long to settle after the moves before.
 */
final class LoadBalance {
    static final double LEAST_GAIN = 0.1;
    static final long PATIENCE_NS = TimeUnit.SECONDS.toNanos(1);

    /** Bytes a second below which a member counts as idle. */
    static final double LEAST_LOAD = 4_096;

    private static final int MOST_AT_ONCE = 64;

    private boolean waiting;
    private long sinceNs;

    /**
     * One vQP as it was seen.
     *
     * @param member  where it lives
     * @param weight  bytes a second
     * @param movable false for one that the peer placed, or that is on its way
     */
    record Flow(int member, double weight, boolean movable) {}

    /** The flow of that place in the list shall live on that member. */
    record Move(int flow, int to) {}

    /**
     * What shall move now.
     *
     * @param speeds by member, in any unit; 0 for one where nothing may be placed
     */
    List<Move> decide(final double[] speeds, final List<Flow> flows, final long nowNs) {
        final List<Move> moves = worthwhile(speeds, flows);
        if (moves.isEmpty()) {
            waiting = false;
            return moves;
        }
        if (!waiting) {
            waiting = true;
            sinceNs = nowNs;
        }
        if (nowNs - sinceNs < PATIENCE_NS) {
            return List.of();
        }
        waiting = false;
        return moves;
    }

    private static List<Move> worthwhile(final double[] speeds, final List<Flow> flows) {
        final double[] loads = loads(speeds, flows);
        final int[] member = flows.stream().mapToInt(Flow::member).toArray();
        final List<Move> moves = new ArrayList<>();
        final int fullest = highest(speeds, loads);
        if (fullest < 0 || loads[fullest] * speeds[fullest] < LEAST_LOAD) {
            return moves;
        }
        final double worth = loads[fullest] * (1 - LEAST_GAIN);
        while (moves.size() < MOST_AT_ONCE) {
            final int from = highest(speeds, loads);
            final int to = lowest(speeds, loads);
            final int best = loads[to] < loads[from] * (1 - LEAST_GAIN)
                    ? best(speeds, loads, flows, member, from, to)
                    : -1;
            if (best < 0) {
                break;
            }
            loads[from] -= flows.get(best).weight / speeds[from];
            loads[to] += flows.get(best).weight / speeds[to];
            member[best] = to;
            moves.add(new Move(best, to));
        }
        return loads[highest(speeds, loads)] <= worth ? moves : List.of();
    }

    /** The flow that leaves the two members most even, the smallest of several; -1 where none makes it better. */
    private static int best(
            final double[] speeds,
            final double[] loads,
            final List<Flow> flows,
            final int[] member,
            final int from,
            final int to) {
        double least = loads[from];
        int best = -1;
        for (int i = 0; i < member.length; i++) {
            final Flow flow = flows.get(i);
            if (member[i] == from && flow.movable) {
                final double result =
                        Math.max(loads[from] - flow.weight / speeds[from], loads[to] + flow.weight / speeds[to]);
                if (result < least || best >= 0 && result == least && flow.weight < flows.get(best).weight) {
                    least = result;
                    best = i;
                }
            }
        }
        return best;
    }

    /** Load by member; 0 where nothing may be placed. */
    static double[] loads(final double[] speeds, final List<Flow> flows) {
        final double[] loads = new double[speeds.length];
        for (final Flow flow : flows) {
            if (speeds[flow.member] > 0) {
                loads[flow.member] += flow.weight / speeds[flow.member];
            }
        }
        return loads;
    }

    private static int highest(final double[] speeds, final double[] loads) {
        int found = -1;
        for (int i = 0; i < loads.length; i++) {
            if (speeds[i] > 0 && (found < 0 || loads[i] > loads[found])) {
                found = i;
            }
        }
        return found;
    }

    private static int lowest(final double[] speeds, final double[] loads) {
        int found = -1;
        for (int i = 0; i < loads.length; i++) {
            if (speeds[i] > 0 && (found < 0 || loads[i] < loads[found])) {
                found = i;
            }
        }
        return found;
    }
}
