package io.vhca.harness.sim.fault;

import java.util.function.Function;

/**
 * A row of the table of faults: what a scenario draws from.
 *
 * @param label   {@link Fault#label} of all that it draws
 * @param isDeath something does not survive it: a scenario has one at most, the survivors are what is looked at
 * @param isBeside it is drawn beside the others, and changes nothing of which they are
 * @param odds    how often it is drawn; where it is beside the others, in so many scenarios of a hundred
 * @param draw    draws one
 */
public record FaultKind(
        String label, boolean isDeath, boolean isBeside, Odds odds, Function<FaultDice, TimedFault> draw) {
    /** A row of a fault that scenarios may have several of. */
    public static FaultKind of(final String label, final Odds odds, final Function<FaultDice, TimedFault> draw) {
        return new FaultKind(label, false, false, odds, draw);
    }

    /** A row of a fault that something does not survive. */
    public static FaultKind death(final String label, final Odds odds, final Function<FaultDice, TimedFault> draw) {
        return new FaultKind(label, true, false, odds, draw);
    }

    /** A row of a fault that scenarios have beside what else they draw; the odds are percentages. */
    public static FaultKind beside(
            final String label, final Odds percent, final Function<FaultDice, TimedFault> draw) {
        return new FaultKind(label, false, true, percent, draw);
    }

    TimedFault draw(final FaultDice dice) {
        final TimedFault fault = draw.apply(dice);
        assert fault.fault().label().equals(label) : "a row counts what it draws: " + label + ", " + fault;
        return fault;
    }
}
