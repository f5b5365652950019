package io.vhca.harness.sim.fault.kind;

import io.vhca.harness.sim.fault.Damage;
import io.vhca.harness.sim.fault.Effect;
import io.vhca.harness.sim.fault.Fault;
import io.vhca.harness.sim.fault.FaultDice;
import io.vhca.harness.sim.fault.FaultTarget;
import io.vhca.harness.sim.fault.Members;
import io.vhca.harness.sim.fault.TimedFault;
import io.vhca.harness.sim.fault.Timing;
import java.util.Set;

/** A device dies, or all those of a side do, and after a while it is there again; once or twice. */
public record DeviceReturn(Members devices) implements Fault {
    static final String LABEL = "device dies and comes back";

    static TimedFault draw(final FaultDice dice) {
        return new TimedFault(
                new DeviceReturn(dice.oneIn(3) ? dice.allMembers() : dice.member()),
                new Timing.Period(dice.packet(), dice.outageNs(), dice.number(1, 3)));
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
        devices.forEach(index -> target.onHost(devices.side(), host -> host.killDevice(index)));
        return true;
    }

    @Override
    public void end(final FaultTarget target) {
        devices.forEach(index -> target.onHost(devices.side(), host -> host.reviveDevice(index)));
    }

    @Override
    public Set<Effect> effects() {
        return Set.of(Effect.MEMBER_RETURNS);
    }
}
