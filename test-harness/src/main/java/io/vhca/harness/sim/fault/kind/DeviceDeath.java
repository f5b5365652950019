package io.vhca.harness.sim.fault.kind;

import io.vhca.harness.sim.fault.Damage;
import io.vhca.harness.sim.fault.Fault;
import io.vhca.harness.sim.fault.FaultDice;
import io.vhca.harness.sim.fault.FaultTarget;
import io.vhca.harness.sim.fault.Members;
import io.vhca.harness.sim.fault.TimedFault;

/** A device dies for good. */
public record DeviceDeath(Members device) implements Fault {
    static final String LABEL = "device death";

    static TimedFault draw(final FaultDice dice) {
        return new TimedFault(new DeviceDeath(dice.member()), dice.forGood());
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
        device.forEach(index -> target.onHost(device.side(), host -> host.killDevice(index)));
        return true;
    }
}
