package io.vhca.harness.sim.fault.kind;

import io.vhca.harness.sim.fault.Damage;
import io.vhca.harness.sim.fault.FaultDice;
import io.vhca.harness.sim.fault.FaultTarget;
import io.vhca.harness.sim.fault.Lasting;
import io.vhca.harness.sim.fault.Members;
import io.vhca.harness.sim.fault.TimedFault;

/**
 * No address is resolved over any member of a side while the first connections are made, and all ports are up: as links
 * that died a moment ago, of which nobody has heard. Each attempt to connect fails at once.
 */
public record RoutesLost(Members members) implements Lasting {
    static final String LABEL = "no routes while connecting";

    static TimedFault draw(final FaultDice dice) {
        return new TimedFault(new RoutesLost(dice.allMembers()), dice.whileConnecting());
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
        members.forEach(member -> target.routes(members.side(), member, !isOn));
    }
}
