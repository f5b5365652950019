package io.vhca.harness.sim.fault.kind;

import io.vhca.harness.sim.core.Side;
import io.vhca.harness.sim.fault.Damage;
import io.vhca.harness.sim.fault.Fault;
import io.vhca.harness.sim.fault.FaultDice;
import io.vhca.harness.sim.fault.FaultTarget;
import io.vhca.harness.sim.fault.Members;
import io.vhca.harness.sim.fault.TimedFault;

/** A device that acknowledges messages before it has placed them dies for good. */
public record AckBeforePlacement(Members device) implements Fault {
    static final String LABEL = "death of a device that acks before it places";

    static TimedFault draw(final FaultDice dice) {
        return new TimedFault(new AckBeforePlacement(dice.member()), dice.forGood());
    }

    @Override
    public String label() {
        return LABEL;
    }

    @Override
    public Damage damage() {
        return Damage.ACKNOWLEDGED_DATA;
    }

    @Override
    public boolean begin(final FaultTarget target) {
        device.forEach(index -> target.onHost(device.side(), host -> host.killDevice(index)));
        return true;
    }

    @Override
    public boolean needsEarlyAcks(final Side side, final int member) {
        return device.contains(side, member);
    }
}
