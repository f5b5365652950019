package io.vhca.harness.sim.fault;

import java.util.function.Function;

/**
 * A row of the table of faults: what a scenario draws from.
 *
 * @param label {@link Fault#label} of all that it draws
 * @param role  how it goes with others in one scenario
 * @param odds  how often it is drawn; where it is beside the others, in so many scenarios of a hundred
 * @param draw  draws one
 */
public record FaultKind(String label, Role role, Odds odds, Function<FaultDice, TimedFault> draw) {
    /** How a fault goes with others in one scenario. */
    public enum Role {
        /** There may be several. */
        ORDINARY,
        /** Something does not survive it: there is one at most, the survivors are what is looked at. */
        DEATH,
        /** It is drawn beside the others, and changes nothing of which they are. */
        BESIDE,
        /** A stranger's doing; where it comes first, often all that happens is strangers' doing. */
        ATTACK
    }

    /** A row of a fault that scenarios may have several of. */
    public static FaultKind of(final String label, final Odds odds, final Function<FaultDice, TimedFault> draw) {
        return new FaultKind(label, Role.ORDINARY, odds, draw);
    }

    /** A row of a fault that something does not survive. */
    public static FaultKind death(final String label, final Odds odds, final Function<FaultDice, TimedFault> draw) {
        return new FaultKind(label, Role.DEATH, odds, draw);
    }

    /** A row of a fault that scenarios have beside what else they draw; the odds are percentages. */
    public static FaultKind beside(
            final String label, final Odds percent, final Function<FaultDice, TimedFault> draw) {
        return new FaultKind(label, Role.BESIDE, percent, draw);
    }

    /** A row of what a stranger does. */
    public static FaultKind attack(final String label, final Odds odds, final Function<FaultDice, TimedFault> draw) {
        return new FaultKind(label, Role.ATTACK, odds, draw);
    }

    TimedFault draw(final FaultDice dice) {
        final TimedFault fault = draw.apply(dice);
        assert fault.fault().label().equals(label) : "a row counts what it draws: " + label + ", " + fault;
        return fault;
    }
}
