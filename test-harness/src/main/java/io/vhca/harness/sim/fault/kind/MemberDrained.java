package io.vhca.harness.sim.fault.kind;

import io.vhca.harness.sim.fault.FaultDice;
import io.vhca.harness.sim.fault.FaultTarget;
import io.vhca.harness.sim.fault.Lasting;
import io.vhca.harness.sim.fault.Members;
import io.vhca.harness.sim.fault.TimedFault;

/** No fault: an operator takes a member out of use for a while. */
public record MemberDrained(Members member) implements Lasting {
    static final String LABEL = "member drained by the operator";

    static TimedFault draw(final FaultDice dice) {
        return new TimedFault(new MemberDrained(dice.anyMember()), dice.outage());
    }

    @Override
    public String label() {
        return LABEL;
    }

    @Override
    public void turn(final FaultTarget target, final boolean isOn) {
        member.forEach(index -> target.onHost(member.side(), host -> host.drain(index, isOn)));
    }
}
