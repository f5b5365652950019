package io.vhca.harness.sim.fault.kind;

import io.vhca.harness.sim.fault.Effect;
import io.vhca.harness.sim.fault.Fault;
import io.vhca.harness.sim.fault.FaultDice;
import io.vhca.harness.sim.fault.Packet;
import io.vhca.harness.sim.fault.TimedFault;
import java.util.Set;
import java.util.SplittableRandom;

/**
 * A share of all packets comes twice for a while.
 *
 * @param perMille share of the packets
 * @param latestNs how late the second one is at most
 */
public record PacketsDuplicated(int perMille, long latestNs) implements Fault {
    static final String LABEL = "packets duplicated";

    static TimedFault draw(final FaultDice dice) {
        final long latestNs = dice.delayNs();
        return new TimedFault(new PacketsDuplicated(dice.number(5, 400), latestNs), dice.whileDelayed(latestNs));
    }

    @Override
    public String label() {
        return LABEL;
    }

    @Override
    public void judge(final Packet packet, final SplittableRandom random) {
        if (random.nextInt(1_000) < perMille) {
            packet.duplicate(random.nextInt((int) (latestNs / 1_000) + 1));
        }
    }

    @Override
    public Set<Effect> effects() {
        return Set.of(Effect.DATAGRAMS_MAY_DOUBLE);
    }
}
