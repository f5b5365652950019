package io.vhca.bond;

import io.vhca.bond.core.BondRuntime;
import io.vhca.bond.core.DutyCycle;
import io.vhca.bond.core.EarliestDeadline;
import java.util.List;

/** Gives every part of a bond its turn, always in the same order. Control lock; see {@link BondContext#doWork}. */
final class BondConductor {
    private final BondRuntime core;
    private final List<DutyCycle> parts;

    /** @param parts in the order of their turns */
    BondConductor(final BondRuntime core, final List<DutyCycle> parts) {
        this.core = core;
        this.parts = parts;
    }

    int doWork(final long nowNs) {
        int work = core.beginTurn(nowNs);
        final long ownNs = core.nowNs();
        for (final DutyCycle part : parts) {
            work += part.doWork(ownNs);
        }
        core.events().turn(nowNs);
        return work;
    }

    /** When the next turn is due at the latest, by the clock that drives the bond. */
    long nextDeadlineNs() {
        if (core.hasActions()) {
            return core.turnAt(core.nowNs());
        }
        final EarliestDeadline next = new EarliestDeadline();
        for (final DutyCycle part : parts) {
            next.add(part.nextDeadlineNs());
        }
        return core.turnAt(next.atNs());
    }
}
