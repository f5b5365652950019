package io.vhca.harness.sim.fault.kind;

import io.vhca.harness.sim.fault.Damage;
import io.vhca.harness.sim.fault.Fault;
import io.vhca.harness.sim.fault.FaultDice;
import io.vhca.harness.sim.fault.FaultTarget;
import io.vhca.harness.sim.fault.Members;
import io.vhca.harness.sim.fault.TimedFault;

/** A device's GID moves to the next place in its table. */
public record GidMoved(Members device) implements Fault {
    static final String LABEL = "GID moved in its table";

    static TimedFault draw(final FaultDice dice) {
        return new TimedFault(new GidMoved(dice.member()), dice.forGood());
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
        device.forEach(index -> target.onHost(device.side(), host -> host.moveGid(index)));
        return true;
    }
}
