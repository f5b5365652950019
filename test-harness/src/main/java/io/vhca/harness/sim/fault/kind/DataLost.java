package io.vhca.harness.sim.fault.kind;

import io.vhca.harness.sim.fault.Damage;
import io.vhca.harness.sim.fault.Effect;
import io.vhca.harness.sim.fault.Fault;
import io.vhca.harness.sim.fault.FaultDice;
import io.vhca.harness.sim.fault.Members;
import io.vhca.harness.sim.fault.Packet;
import io.vhca.harness.sim.fault.TimedFault;
import java.util.Set;
import java.util.SplittableRandom;

/**
 * All that one member sends is lost for good, but for CM messages: connections over it are made, and carry nothing.
 */
public record DataLost(Members sender) implements Fault {
    static final String LABEL = "data of a member lost, connections made";

    static TimedFault draw(final FaultDice dice) {
        return new TimedFault(new DataLost(dice.member()), dice.forGood());
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
    public void judge(final Packet packet, final SplittableRandom random) {
        if (packet.isFrom(sender) && !packet.kind().isManagement()) {
            packet.drop();
        }
    }

    @Override
    public Set<Effect> effects() {
        return Set.of(Effect.DATAGRAMS_MAY_NEVER_ARRIVE);
    }
}
