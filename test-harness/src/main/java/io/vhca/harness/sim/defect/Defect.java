package io.vhca.harness.sim.defect;

import io.vhca.api.Context;
import io.vhca.bond.core.RewindPolicy;
import io.vhca.harness.sim.scenario.BondOptions;
import io.vhca.recovery.RewindPlan;

/**
 * One way in which a bond is broken on purpose, to see that the checkers notice: a class each, with its row in
 * {@link Mutation}. It changes the bond where it can be reached from outside, and leaves the rest as it is.
 *
 * <p>One object a host; the simulator's thread.
 */
public interface Defect {
    /** How the bond is configured, of what its scenario says. */
    default BondOptions options(final BondOptions drawn) {
        return drawn;
    }

    /** Where replays begin and what is owed. */
    default RewindPolicy rewind() {
        return RewindPlan::of;
    }

    /** What the bond sees of a member. */
    default Context member(final Context device) {
        return device;
    }

    /** What the application sees of the bond. */
    default Context bond(final Context bond) {
        return bond;
    }

    /**
     * Breaks nothing from now on, and really destroys what the bond believes to have destroyed: the application is
     * about to close its objects.
     */
    default void beforeClose() {}
}
