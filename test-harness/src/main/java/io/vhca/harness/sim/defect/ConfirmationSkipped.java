package io.vhca.harness.sim.defect;

import io.vhca.harness.sim.scenario.BondOptions;

/** Success completions do not wait for the peer's bond though {@code confirm = peer}; marks are written as for it. */
final class ConfirmationSkipped implements Defect {
    @Override
    public BondOptions options(final BondOptions drawn) {
        return drawn.with("ledger", drawn.config().ledger().text()).without("confirm");
    }
}
