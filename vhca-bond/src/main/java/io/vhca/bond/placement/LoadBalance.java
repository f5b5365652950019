package io.vhca.bond.placement;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Decides for balance-tlb which vQPs move to another member. Pure: loads and time are arguments.
 *
 * <p>The load of a member is what its vQPs send, over the speed of its link. Moves are worth their pauses when they,
 * and those that are left for later, lower the highest load by {@link #LEAST_GAIN}. Only when they were so at every
 * look for {@link #PATIENCE_NS} are they made, which also gives the loads that long to settle after the moves before.
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
     * @param member  where it lives, or is on its way to
     * @param weight  bytes a second
     * @param movable false for one that the peer placed, or that is on its way
     */
    record Flow(int member, double weight, boolean movable) {}

    /** The flow of that place in the list shall live on that member. */
    record Move(int flow, int to) {}

    /** Where a flow can go. */
    interface Reach {
        /** Whether the flow of that place in the list can live on that member now. */
        boolean reaches(int flow, int member);
    }

    /**
     * What shall move now.
     *
     * @param speeds by member, in any unit; 0 for one where nothing may be placed
     */
    List<Move> decide(final double[] speeds, final List<Flow> flows, final Reach reach, final long nowNs) {
        final List<Move> moves = new Plan(speeds, flows, reach).worthwhile();
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

    /** Moves one after another, as if each were made at once. */
    private static final class Plan {
        private final double[] speeds;
        private final List<Flow> flows;
        private final Reach reach;
        private final double[] loads;
        private final int[] member;

        private Plan(final double[] speeds, final List<Flow> flows, final Reach reach) {
            this.speeds = speeds;
            this.flows = flows;
            this.reach = reach;
            loads = loads(speeds, flows);
            member = flows.stream().mapToInt(Flow::member).toArray();
        }

        private List<Move> worthwhile() {
            final List<Move> moves = new ArrayList<>();
            final int fullest = highest();
            if (fullest < 0 || loads[fullest] * speeds[fullest] < LEAST_LOAD) {
                return moves;
            }
            final double worth = loads[fullest] * (1 - LEAST_GAIN);
            final double[] before = loads.clone();
            Move move = next();
            for (; move != null && moves.size() < MOST_AT_ONCE; move = next()) {
                final double weight = flows.get(move.flow()).weight;
                loads[member[move.flow()]] -= weight / speeds[member[move.flow()]];
                loads[move.to()] += weight / speeds[move.to()];
                member[move.flow()] = move.to();
                moves.add(move);
            }
            // What goes on after this batch is judged by where it leads: 64 of a thousand are worth nothing alone.
            return (move == null ? loads[highest()] : least(fullest, before)) <= worth ? moves : List.of();
        }

        /** What the load of that member, the fullest, cannot fall below: what must stay there, or all of them even. */
        private double least(final int fullest, final double[] before) {
            double held = 0;
            for (int i = 0; i < flows.size(); i++) {
                if (flows.get(i).member == fullest && !mayLeave(i, fullest, before)) {
                    held += flows.get(i).weight / speeds[fullest];
                }
            }
            double weight = 0;
            double speed = 0;
            for (int i = 0; i < loads.length; i++) {
                weight += loads[i] * speeds[i];
                speed += speeds[i];
            }
            return Math.max(held, weight / speed);
        }

        /** Whether a flow finds a member that would not be as full by it as the one that it leaves. */
        private boolean mayLeave(final int index, final int from, final double[] before) {
            final Flow flow = flows.get(index);
            for (int to = 0; to < before.length && flow.movable; to++) {
                if (speeds[to] > 0 && to != from && before[to] + flow.weight / speeds[to] < before[from]
                        && reach.reaches(index, to)) {
                    return true;
                }
            }
            return false;
        }

        /** From the fullest member to the emptiest that a flow of it reaches; null where none makes it better. */
        private @Nullable Move next() {
            final int from = highest();
            final boolean[] isVain = new boolean[loads.length];
            for (int to = lowest(isVain);
                    to >= 0 && loads[to] < loads[from] * (1 - LEAST_GAIN);
                    to = lowest(isVain)) {
                final int best = best(from, to);
                if (best >= 0) {
                    return new Move(best, to);
                }
                isVain[to] = true;
            }
            return null;
        }

        /** The flow that leaves the two members most even, the smallest of several; -1 where none makes it better. */
        private int best(final int from, final int to) {
            double least = loads[from];
            int best = -1;
            for (int i = 0; i < member.length; i++) {
                final Flow flow = flows.get(i);
                if (member[i] == from && flow.movable) {
                    final double result = Math.max(
                            loads[from] - flow.weight / speeds[from], loads[to] + flow.weight / speeds[to]);
                    final boolean isBetter = result < least
                            || best >= 0 && result == least && flow.weight < flows.get(best).weight;
                    if (isBetter && reach.reaches(i, to)) {
                        least = result;
                        best = i;
                    }
                }
            }
            return best;
        }

        private int highest() {
            int found = -1;
            for (int i = 0; i < loads.length; i++) {
                if (speeds[i] > 0 && (found < 0 || loads[i] > loads[found])) {
                    found = i;
                }
            }
            return found;
        }

        private int lowest(final boolean[] isVain) {
            int found = -1;
            for (int i = 0; i < loads.length; i++) {
                if (speeds[i] > 0 && !isVain[i] && (found < 0 || loads[i] < loads[found])) {
                    found = i;
                }
            }
            return found;
        }
    }
}
