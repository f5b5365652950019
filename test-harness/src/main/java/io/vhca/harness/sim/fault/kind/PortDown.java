package io.vhca.harness.sim.fault.kind;

import io.vhca.harness.sim.fault.Damage;
import io.vhca.harness.sim.fault.FaultDice;
import io.vhca.harness.sim.fault.FaultTarget;
import io.vhca.harness.sim.fault.Lasting;
import io.vhca.harness.sim.fault.Members;
import io.vhca.harness.sim.fault.TimedFault;

/** A port is unplugged for a while. */
public record PortDown(Members port) implements Lasting {
    static final String LABEL = "port down";

    static TimedFault draw(final FaultDice dice) {
        return new TimedFault(new PortDown(dice.member()), dice.outage());
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
