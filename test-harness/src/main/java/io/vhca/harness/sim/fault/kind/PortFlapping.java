package io.vhca.harness.sim.fault.kind;

import io.vhca.harness.sim.fault.Damage;
import io.vhca.harness.sim.fault.FaultDice;
import io.vhca.harness.sim.fault.FaultTarget;
import io.vhca.harness.sim.fault.Lasting;
import io.vhca.harness.sim.fault.Members;
import io.vhca.harness.sim.fault.TimedFault;
import io.vhca.harness.sim.fault.Timing;

/** A port is unplugged and plugged in several times. */
public record PortFlapping(Members port) implements Lasting {
    static final String LABEL = "port flapping";

    static TimedFault draw(final FaultDice dice) {
        return new TimedFault(
                new PortFlapping(dice.member()),
                new Timing.Period(dice.packet(), dice.outageNs() / 4, dice.number(2, 6)));
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
    public void turn(final FaultTarget target, final boolean isOn) {
        port.forEach(member -> target.portUp(port.side(), member, !isOn));
    }
}
