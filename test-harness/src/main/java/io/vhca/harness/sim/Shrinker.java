package io.vhca.harness.sim;

import io.vhca.harness.sim.core.PerSide;
import io.vhca.harness.sim.fault.TimedFault;
import io.vhca.harness.sim.scenario.BondOptions;
import io.vhca.harness.sim.scenario.Scenario;
import io.vhca.harness.sim.scenario.Trait;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;

/**
 * Makes a bad scenario smaller as long as it stays bad: leaves out connections, faults and operations, sets options of
 * the bonds to their defaults, takes away traits. What is left in the end is what the violation needs.
 */
final class Shrinker {
    private static final int MOST_OPS = 80;

    private final Predicate<Scenario> isBad;
    private Scenario best;

    private Shrinker(final Scenario bad, final Predicate<Scenario> isBad) {
        this.isBad = isBad;
        best = bad;
    }

    /**
     * The smallest scenario found that is still bad.
     *
     * @param isBad runs a scenario and tells; it may throw, which is bad too
     */
    static Scenario shrink(final Scenario bad, final Predicate<Scenario> isBad) {
        return new Shrinker(bad, isBad).shrink();
    }

    private Scenario shrink() {
        leaveOutConnections();
        leaveOutFaults();
        setOptionsToDefaults();
        takeTraitsAway();
        leaveOutOperations();
        return best;
    }

    private void leaveOutConnections() {
        final int all = best.qps().size();
        for (int qps = 1; qps < all && !isTaken(best.withQps(best.qps().subList(0, qps))); qps++) {
            // The first number that is bad is taken.
        }
    }

    /** The last first, so that those before keep their places. What is left strikes once where once is enough. */
    private void leaveOutFaults() {
        for (int i = best.faults().size() - 1; i >= 0; i--) {
            final List<TimedFault> others = new ArrayList<>(best.faults());
            final TimedFault fault = others.remove(i);
            if (!isTaken(best.withFaults(others)) && !fault.once().equals(fault)) {
                others.add(i, fault.once());
                isTaken(best.withFaults(others));
            }
        }
    }

    private void setOptionsToDefaults() {
        if (best.bonds() == null) {
            return;
        }
        final Set<String> keys = new TreeSet<>(best.bonds().left().keys());
        keys.addAll(best.bonds().right().keys());
        for (final String key : keys) {
            final PerSide<BondOptions> options = best.bonds();
            if (options != null) {
                isTaken(best.withBonds(PerSide.each(side -> options.of(side).without(key))));
            }
        }
    }

    private void takeTraitsAway() {
        for (final Trait trait : best.traits().toArray(new Trait[0])) {
            isTaken(best.without(trait));
        }
        isTaken(best.withoutSharedReceives());
        isTaken(best.withoutDatagrams());
        isTaken(best.withOneLife());
        isTaken(best.withQuietEnding());
    }

    private void leaveOutOperations() {
        final Scenario all = best;
        for (int ops = 1; ops < MOST_OPS; ops += 1 + ops / 4) {
            final int most = ops;
            if (isTaken(all.withQps(all.qps().stream().map(qp -> qp.first(most)).toList()))) {
                return;
            }
        }
    }

    private boolean isTaken(final Scenario candidate) {
        boolean isStillBad;
        try {
            isStillBad = isBad.test(candidate);
        } catch (final RuntimeException | Error e) {
            isStillBad = true;
        }
        if (isStillBad) {
            best = candidate;
        }
        return isStillBad;
    }
}
