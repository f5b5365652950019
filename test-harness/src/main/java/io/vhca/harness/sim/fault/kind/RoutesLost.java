package io.vhca.harness.sim.fault.kind;

import io.vhca.harness.sim.fault.Damage;
import io.vhca.harness.sim.fault.Fault;
import io.vhca.harness.sim.fault.FaultDice;
import io.vhca.harness.sim.fault.FaultTarget;
import io.vhca.harness.sim.fault.Members;
import io.vhca.harness.sim.fault.TimedFault;

/**
 * No address is resolved over any member of a side while the first connections are made, and all ports are up: as links
 * that died a moment ago, of which nobody has heard. Each attempt to connect fails at once.
 */
public record RoutesLost(Members members) implements Fault {
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
    public boolean begin(final FaultTarget target) {
        members.forEach(member -> target.routes(members.side(), member, false));
        return true;
    }

    @Override
    public void end(final FaultTarget target) {
        members.forEach(member -> target.routes(members.side(), member, true));
    }
}
