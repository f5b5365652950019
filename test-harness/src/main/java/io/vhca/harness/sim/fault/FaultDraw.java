package io.vhca.harness.sim.fault;

import io.vhca.harness.sim.core.Draws;
import io.vhca.harness.sim.fault.FaultKind.Role;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;

/** Draws the faults of a scenario from a table: at least one, and what there is beside. */
public final class FaultDraw {
    /** Of scenarios whose first fault is a stranger's doing: only there does it show that strangers move nothing. */
    private static final int STRANGERS_ALONE_PERCENT = 75;

    private FaultDraw() {}

    public static List<TimedFault> draw(
            final List<FaultKind> table, final FaultScope scope, final SplittableRandom random) {
        final int count = Math.max(1, random.nextInt(-1, 5));
        final List<TimedFault> faults = new ArrayList<>(count);
        final Set<Role> roles = EnumSet.of(Role.ORDINARY, Role.DEATH, Role.ATTACK);
        for (int i = 0; i < count; i++) {
            final SplittableRandom own = random.split();
            final FaultKind kind = pick(table, roles, scope, own);
            if (kind.role() == Role.DEATH) {
                roles.remove(Role.DEATH);
            }
            if (i == 0 && kind.role() == Role.ATTACK && own.split().nextInt(100) < STRANGERS_ALONE_PERCENT) {
                roles.retainAll(Set.of(Role.ATTACK));
            }
            faults.add(kind.draw(new FaultDice(own, scope)));
        }
        if (roles.contains(Role.ORDINARY)) {
            drawBeside(table, scope, random, faults);
        }
        return List.copyOf(faults);
    }

    private static void drawBeside(
            final List<FaultKind> table, final FaultScope scope, final SplittableRandom random,
            final List<TimedFault> faults) {
        for (final FaultKind kind : table) {
            if (kind.role() == Role.BESIDE) {
                final SplittableRandom own = random.split();
                if (Draws.percent(own, kind.odds().in(scope))) {
                    faults.add(kind.draw(new FaultDice(own, scope)));
                }
            }
        }
    }

    private static FaultKind pick(
            final List<FaultKind> table, final Set<Role> roles, final FaultScope scope,
            final SplittableRandom random) {
        final List<FaultKind> possible = table.stream()
                .filter(kind -> roles.contains(kind.role()) && kind.odds().in(scope) > 0)
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
