package io.vhca.harness.sim.fault.kind;

import io.vhca.harness.sim.fault.FaultDice;
import io.vhca.harness.sim.fault.FaultTarget;
import io.vhca.harness.sim.fault.Lasting;
import io.vhca.harness.sim.fault.Members;
import io.vhca.harness.sim.fault.TimedFault;

/** No fault: an operator removes a member from the bond, and adds it again after a while. */
public record MemberRemoved(Members member) implements Lasting {
    static final String LABEL = "member removed and added by the operator";

    static TimedFault draw(final FaultDice dice) {
        return new TimedFault(new MemberRemoved(dice.anyMember()), dice.outage());
    }

    @Override
    public String label() {
        return LABEL;
    }

    @Override
    public void turn(final FaultTarget target, final boolean isOn) {
        member.forEach(index -> target.onHost(member.side(), host -> host.remove(index, isOn)));
    }
}
