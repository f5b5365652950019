package io.vhca.harness.sim.fault.attack;

import io.vhca.harness.sim.core.Side;
import io.vhca.harness.sim.fault.Attack;
import io.vhca.harness.sim.fault.Effect;
import io.vhca.harness.sim.fault.Fault;
import io.vhca.harness.sim.fault.FaultDice;
import io.vhca.harness.sim.fault.FaultTarget;
import io.vhca.harness.sim.fault.TimedFault;
import java.util.Set;

/** A host that belongs to nobody sends a bond requests to recover, close and connect that it makes up. */
public record StrangerAsks(Side asked) implements Fault {
    public static final String LABEL = "requests that a stranger forged";

    public static TimedFault draw(final FaultDice dice) {
        return new TimedFault(new StrangerAsks(dice.side()), dice.forGood());
    }

    @Override
    public String label() {
        return LABEL;
    }

    @Override
    public Set<Effect> effects() {
        return Set.of(Effect.NOTHING_MAY_MOVE);
    }

    @Override
    public boolean begin(final FaultTarget target) {
        target.attack(asked, Attack.ASK);
        return true;
    }
}
