package io.vhca.harness.sim.fault.kind;

import io.vhca.harness.sim.fault.Damage;
import io.vhca.harness.sim.fault.FaultDice;
import io.vhca.harness.sim.fault.FaultTarget;
import io.vhca.harness.sim.fault.Lasting;
import io.vhca.harness.sim.fault.Members;
import io.vhca.harness.sim.fault.TimedFault;

/** Every port of one side is unplugged for a while. */
public record AllPortsDown(Members ports) implements Lasting {
    static final String LABEL = "all ports of a side down";

    static TimedFault draw(final FaultDice dice) {
        return new TimedFault(new AllPortsDown(dice.allMembers()), dice.outage());
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
        ports.forEach(member -> target.portUp(ports.side(), member, !isOn));
    }
}
