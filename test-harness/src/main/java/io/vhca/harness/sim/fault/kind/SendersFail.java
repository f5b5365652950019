package io.vhca.harness.sim.fault.kind;

import io.vhca.harness.sim.fault.Damage;
import io.vhca.harness.sim.fault.Fault;
import io.vhca.harness.sim.fault.FaultDice;
import io.vhca.harness.sim.fault.FaultTarget;
import io.vhca.harness.sim.fault.Members;
import io.vhca.harness.sim.fault.TimedFault;

/** What a device is sending fails with a local error, its port being up. */
public record SendersFail(Members device) implements Fault {
    static final String LABEL = "local errors while the port is up";

    static TimedFault draw(final FaultDice dice) {
        return new TimedFault(new SendersFail(dice.member()), dice.forGood());
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
        device.forEach(index -> target.onHost(device.side(), host -> host.failSenders(index)));
        return true;
    }
}
