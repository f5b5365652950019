package io.vhca.harness.sim.fault.kind;

import io.vhca.harness.sim.fault.Fault;
import io.vhca.harness.sim.fault.FaultDice;
import io.vhca.harness.sim.fault.FaultTarget;
import io.vhca.harness.sim.fault.Members;
import io.vhca.harness.sim.fault.TimedFault;

/** No fault: an operator makes a member the active one, where the mode has one. */
public record MemberActivated(Members member) implements Fault {
    static final String LABEL = "member made active by the operator";

    static TimedFault draw(final FaultDice dice) {
        return new TimedFault(new MemberActivated(dice.anyMember()), dice.forGood());
    }

    @Override
    public String label() {
        return LABEL;
    }

    @Override
    public boolean begin(final FaultTarget target) {
        member.forEach(index -> target.onHost(member.side(), host -> host.activate(index)));
        return true;
    }
}
