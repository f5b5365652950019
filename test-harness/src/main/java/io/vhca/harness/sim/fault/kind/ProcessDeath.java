package io.vhca.harness.sim.fault.kind;

import io.vhca.harness.sim.core.Side;
import io.vhca.harness.sim.fault.Damage;
import io.vhca.harness.sim.fault.Fault;
import io.vhca.harness.sim.fault.FaultDice;
import io.vhca.harness.sim.fault.FaultTarget;
import io.vhca.harness.sim.fault.TimedFault;

/** A process dies for good, and all its devices with it. */
public record ProcessDeath(Side side) implements Fault {
    static final String LABEL = "process death";

    static TimedFault draw(final FaultDice dice) {
        return new TimedFault(new ProcessDeath(dice.side()), dice.forGood());
    }

    @Override
    public String label() {
        return LABEL;
    }

    @Override
    public Damage damage() {
        return Damage.PROCESS;
    }

    @Override
    public boolean begin(final FaultTarget target) {
        target.killProcess(side);
        return true;
    }
}
