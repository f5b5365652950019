package io.vhca.harness.sim.fault;

import java.util.function.Function;

/**
 * A row of the table of faults: what a scenario draws from.
 *
 * @param label   {@link Fault#label} of all that it draws
 * @param isDeath something does not survive it: a scenario has one at most, the survivors are what is looked at
 * @param odds    how often it is drawn
 * @param draw    draws one
 */
public record FaultKind(String label, boolean isDeath, Odds odds, Function<FaultDice, TimedFault> draw) {
    /** A row of a fault that scenarios may have several of. */
    public static FaultKind of(final String label, final Odds odds, final Function<FaultDice, TimedFault> draw) {
        return new FaultKind(label, false, odds, draw);
    }

    /** A row of a fault that something does not survive. */
    public static FaultKind death(final String label, final Odds odds, final Function<FaultDice, TimedFault> draw) {
        return new FaultKind(label, true, odds, draw);
    }

    TimedFault draw(final FaultDice dice) {
        final TimedFault fault = draw.apply(dice);
        assert fault.fault().label().equals(label) : "a row counts what it draws: " + label + ", " + fault;
        return fault;
    }
}
