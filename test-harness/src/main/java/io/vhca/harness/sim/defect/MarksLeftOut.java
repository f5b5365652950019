package io.vhca.harness.sim.defect;

import io.vhca.harness.sim.scenario.BondOptions;

/** No mark follows a one-sided request though {@code ledger} promises some. */
final class MarksLeftOut implements Defect {
    @Override
    public BondOptions options(final BondOptions drawn) {
        return drawn.without("ledger");
    }
}
