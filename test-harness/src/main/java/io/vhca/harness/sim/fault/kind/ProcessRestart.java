package io.vhca.harness.sim.fault.kind;

import io.vhca.harness.sim.core.Side;
import io.vhca.harness.sim.fault.Damage;
import io.vhca.harness.sim.fault.Fault;
import io.vhca.harness.sim.fault.FaultDice;
import io.vhca.harness.sim.fault.FaultTarget;
import io.vhca.harness.sim.fault.TimedFault;

/** A process dies, and another takes its place that knows nothing of its connections. */
public record ProcessRestart(Side side) implements Fault {
    static final String LABEL = "process restart";

    static TimedFault draw(final FaultDice dice) {
        return new TimedFault(new ProcessRestart(dice.side()), dice.outage());
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

    @Override
    public void end(final FaultTarget target) {
        target.restartProcess(side);
    }
}
