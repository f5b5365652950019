package io.vhca.harness.sim.fault.kind;

import io.vhca.harness.sim.fault.Damage;
import io.vhca.harness.sim.fault.FaultDice;
import io.vhca.harness.sim.fault.FaultTarget;
import io.vhca.harness.sim.fault.Lasting;
import io.vhca.harness.sim.fault.Members;
import io.vhca.harness.sim.fault.TimedFault;

/** All that one member sends is lost for a while, or all that its side sends; what comes to it arrives. */
public record OneWayLoss(Members senders) implements Lasting {
    static final String LABEL = "one-way loss";

    static TimedFault draw(final FaultDice dice) {
        return new TimedFault(new OneWayLoss(dice.oneIn(4) ? dice.allMembers() : dice.member()), dice.outage());
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
        senders.forEach(member -> target.blockTransmit(senders.side(), member, isOn));
    }
}
