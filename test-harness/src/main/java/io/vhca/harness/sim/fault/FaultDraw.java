package io.vhca.harness.sim.fault;

import io.vhca.harness.sim.core.Draws;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/** Draws the faults of a scenario from a table: at least one, and what there is beside. */
public final class FaultDraw {
    private FaultDraw() {}

    public static List<TimedFault> draw(
            final List<FaultKind> table, final FaultScope scope, final SplittableRandom random) {
        final int count = Math.max(1, random.nextInt(-1, 5));
        final List<TimedFault> faults = new ArrayList<>(count);
        boolean hasDeath = false;
        for (int i = 0; i < count; i++) {
            final SplittableRandom own = random.split();
            final FaultKind kind = pick(table, scope, hasDeath, own);
            hasDeath |= kind.isDeath();
            faults.add(kind.draw(new FaultDice(own, scope)));
        }
        for (final FaultKind kind : table) {
            if (kind.isBeside()) {
                final SplittableRandom own = random.split();
                if (Draws.percent(own, kind.odds().in(scope))) {
                    faults.add(kind.draw(new FaultDice(own, scope)));
                }
            }
        }
        return List.copyOf(faults);
    }

    private static FaultKind pick(
            final List<FaultKind> table, final FaultScope scope, final boolean hasDeath,
            final SplittableRandom random) {
        final List<FaultKind> possible = table.stream()
                .filter(kind -> !kind.isBeside() && kind.odds().in(scope) > 0 && !(hasDeath && kind.isDeath()))
                .toList();
        int left = random.nextInt(possible.stream().mapToInt(kind -> kind.odds().in(scope)).sum());
        for (final FaultKind kind : possible) {
            left -= kind.odds().in(scope);
            if (left < 0) {
                return kind;
            }
        }
        throw new AssertionError("the odds of a table add up to their sum");
    }
}
