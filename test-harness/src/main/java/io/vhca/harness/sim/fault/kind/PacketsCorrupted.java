package io.vhca.harness.sim.fault.kind;

import io.vhca.harness.sim.fault.Damage;
import io.vhca.harness.sim.fault.Fault;
import io.vhca.harness.sim.fault.FaultDice;
import io.vhca.harness.sim.fault.Packet;
import io.vhca.harness.sim.fault.TimedFault;
import java.util.SplittableRandom;

/**
 * A share of all packets has one bit flipped for a while.
 *
 * @param perMille share of the packets
 */
public record PacketsCorrupted(int perMille) implements Fault {
    static final String LABEL = "packets corrupted";

    static TimedFault draw(final FaultDice dice) {
        return new TimedFault(new PacketsCorrupted(dice.number(5, 200)), dice.outage());
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
        if (random.nextInt(1_000) < perMille) {
            packet.corrupt(random.nextInt(PacketCorrupted.MOST_OFFSETS));
        }
    }
}
