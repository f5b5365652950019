package io.vhca.harness.sim.fault.kind;

import io.vhca.harness.sim.fault.Damage;
import io.vhca.harness.sim.fault.Fault;
import io.vhca.harness.sim.fault.FaultDice;
import io.vhca.harness.sim.fault.Members;
import io.vhca.harness.sim.fault.Packet;
import io.vhca.harness.sim.fault.TimedFault;
import java.util.SplittableRandom;

/** A packet of any kind has one bit flipped, or several in a row have. */
public record PacketCorrupted(Members senders) implements Fault {
    static final String LABEL = "one packet corrupted";

    /** Longer than any packet: an offset counts modulo its length. */
    static final int MOST_OFFSETS = 8192;

    static TimedFault draw(final FaultDice dice) {
        return new TimedFault(new PacketCorrupted(dice.allMembers()), dice.packetsOf(2));
    }

    @Override
    public String label() {
        return LABEL;
    }

    @Override
    public Damage damage() {
        return Damage.PACKETS;
    }

    @Override
    public boolean concerns(final Packet packet) {
        return packet.isFrom(senders);
    }

    @Override
    public void judge(final Packet packet, final SplittableRandom random) {
        packet.corrupt(random.nextInt(MOST_OFFSETS));
    }
}
