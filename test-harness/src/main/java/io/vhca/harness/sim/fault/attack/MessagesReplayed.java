package io.vhca.harness.sim.fault.attack;

import io.vhca.harness.sim.core.Side;
import io.vhca.harness.sim.fault.Attack;
import io.vhca.harness.sim.fault.Effect;
import io.vhca.harness.sim.fault.Fault;
import io.vhca.harness.sim.fault.FaultDice;
import io.vhca.harness.sim.fault.FaultTarget;
import io.vhca.harness.sim.fault.TimedFault;
import java.util.Set;

/** Somebody who saw what a bond was sent sends it again later, word for word and in other sessions' names. */
public record MessagesReplayed(Side asked) implements Fault {
    public static final String LABEL = "messages that were replayed";

    public static TimedFault draw(final FaultDice dice) {
        return new TimedFault(new MessagesReplayed(dice.side()), dice.forGood());
    }

    @Override
    public String label() {
        return LABEL;
    }

    @Override
    public Set<Effect> effects() {
        return Set.of(Effect.PACKETS_ARE_SEEN, Effect.NOTHING_MAY_MOVE, Effect.DATAGRAMS_MAY_DOUBLE);
    }

    @Override
    public boolean begin(final FaultTarget target) {
        target.attack(asked, Attack.REPLAY);
        return true;
    }
}
