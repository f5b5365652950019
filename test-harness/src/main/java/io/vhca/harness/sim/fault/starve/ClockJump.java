package io.vhca.harness.sim.fault.starve;

import io.vhca.harness.sim.core.Side;
import io.vhca.harness.sim.fault.Damage;
import io.vhca.harness.sim.fault.Fault;
import io.vhca.harness.sim.fault.FaultDice;
import io.vhca.harness.sim.fault.FaultTarget;
import io.vhca.harness.sim.fault.TimedFault;
import io.vhca.harness.sim.fault.Timing;

/** A host's clock jumps ahead, once or several times: all that its bond and devices wait for is due at once. */
public record ClockJump(Side side, long jumpNs) implements Fault {
    public static final String LABEL = "a clock jumps ahead";

    public static TimedFault draw(final FaultDice dice) {
        return new TimedFault(
                new ClockJump(dice.side(), dice.outageNs()),
                new Timing.Period(dice.packet(), dice.delayNs(), dice.number(1, 5)));
    }

    @Override
    public String label() {
        return LABEL;
    }

    @Override
    public Damage damage() {
        return Damage.PATH;
    }

    @Override
    public boolean begin(final FaultTarget target) {
        target.onHost(side, host -> host.jumpClock(jumpNs));
        return true;
    }
}
