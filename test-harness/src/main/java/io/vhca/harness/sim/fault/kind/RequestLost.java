package io.vhca.harness.sim.fault.kind;

import io.vhca.harness.sim.fault.Damage;
import io.vhca.harness.sim.fault.Fault;
import io.vhca.harness.sim.fault.FaultDice;
import io.vhca.harness.sim.fault.Members;
import io.vhca.harness.sim.fault.Packet;
import io.vhca.harness.sim.fault.PacketKind;
import io.vhca.harness.sim.fault.TimedFault;
import java.util.SplittableRandom;

/** A packet of a request or of a response other than an ACK is lost, or several in a row. */
public record RequestLost(Members senders) implements Fault {
    static final String LABEL = "request or response lost";

    static TimedFault draw(final FaultDice dice) {
        return new TimedFault(new RequestLost(dice.allMembers()), dice.packetsOf(2));
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
        return packet.kind() == PacketKind.DATA && packet.isFrom(senders);
    }

    @Override
    public void judge(final Packet packet, final SplittableRandom random) {
        packet.drop();
    }
}
