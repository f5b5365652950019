package io.vhca.harness.sim.fault.kind;

import io.vhca.harness.sim.fault.Damage;
import io.vhca.harness.sim.fault.Effect;
import io.vhca.harness.sim.fault.FaultDice;
import io.vhca.harness.sim.fault.FaultTarget;
import io.vhca.harness.sim.fault.Lasting;
import io.vhca.harness.sim.fault.Members;
import io.vhca.harness.sim.fault.TimedFault;
import java.util.Set;

/** The MTU of a port is the smallest for a while. */
public record MtuShrunk(Members port) implements Lasting {
    static final String LABEL = "MTU changed";

    static TimedFault draw(final FaultDice dice) {
        return new TimedFault(new MtuShrunk(dice.member()), dice.outage());
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
        port.forEach(index -> target.onHost(port.side(), host -> host.shrinkMtu(index, isOn)));
    }

    @Override
    public Set<Effect> effects() {
        return Set.of(Effect.SMALLEST_MTU);
    }
}
