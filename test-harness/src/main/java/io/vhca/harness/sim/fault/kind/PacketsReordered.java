package io.vhca.harness.sim.fault.kind;

import io.vhca.harness.sim.fault.Fault;
import io.vhca.harness.sim.fault.FaultDice;
import io.vhca.harness.sim.fault.Packet;
import io.vhca.harness.sim.fault.TimedFault;
import java.util.SplittableRandom;

/**
 * A share of all packets is late for a while, and overtaken by others.
 *
 * @param perMille share of the packets
 * @param latestNs how late they are at most
 */
public record PacketsReordered(int perMille, long latestNs) implements Fault {
    static final String LABEL = "packets reordered";

    static TimedFault draw(final FaultDice dice) {
        final long latestNs = dice.delayNs();
        return new TimedFault(new PacketsReordered(dice.number(5, 400), latestNs), dice.whileDelayed(latestNs));
    }

    @Override
    public String label() {
        return LABEL;
    }

    @Override
    public boolean reorders() {
        return true;
    }

    @Override
    public void judge(final Packet packet, final SplittableRandom random) {
        if (random.nextInt(1_000) < perMille) {
            packet.delay(random.nextLong(latestNs));
        }
    }
}
