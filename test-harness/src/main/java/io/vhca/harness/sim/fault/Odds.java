package io.vhca.harness.sim.fault;

/**
 * How often a kind of fault is drawn, as a share of the sum over the table.
 *
 * @param bond       in a scenario with bonds
 * @param confirming in a scenario with bonds that have {@code confirm = peer}
 * @param soft       in a scenario of one soft RNIC a side
 */
public record Odds(int bond, int confirming, int soft) {
    /** For faults that are drawn in any scenario. */
    public static Odds of(final int bond, final int soft) {
        return new Odds(bond, bond, soft);
    }

    /** For faults that nobody gets over, or can have, without a bond. */
    public static Odds bondOnly(final int bond) {
        return new Odds(bond, bond, 0);
    }

    int in(final FaultScope scope) {
        return !scope.isBond() ? soft : scope.isConfirming() ? confirming : bond;
    }
}
