package io.vhca.harness.sim.fault.attack;

import io.vhca.harness.sim.core.Side;
import io.vhca.harness.sim.fault.Attack;
import io.vhca.harness.sim.fault.Effect;
import io.vhca.harness.sim.fault.Fault;
import io.vhca.harness.sim.fault.FaultDice;
import io.vhca.harness.sim.fault.FaultTarget;
import io.vhca.harness.sim.fault.TimedFault;
import java.util.Set;

/** A host that belongs to nobody sends a bond messages that it makes up, with the addresses of its peer's members. */
public record SpooferForges(Side asked) implements Fault {
    public static final String LABEL = "messages that a spoofer forged";

    public static TimedFault draw(final FaultDice dice) {
        return new TimedFault(new SpooferForges(dice.side()), dice.forGood());
    }

    @Override
    public String label() {
        return LABEL;
    }

    @Override
    public Set<Effect> effects() {
        return Set.of(Effect.PACKETS_ARE_SEEN, Effect.NOTHING_MAY_MOVE);
    }

    @Override
    public boolean begin(final FaultTarget target) {
        target.attack(asked, Attack.SPOOF);
        return true;
    }
}
