package io.vhca.harness.sim.fault.kind;

import io.vhca.harness.sim.fault.Damage;
import io.vhca.harness.sim.fault.Fault;
import io.vhca.harness.sim.fault.FaultDice;
import io.vhca.harness.sim.fault.Packet;
import io.vhca.harness.sim.fault.PacketKind;
import io.vhca.harness.sim.fault.TimedFault;
import java.util.SplittableRandom;

/**
 * A message of the connection manager is lost, or two in a row.
 *
 * @param message of which kind
 */
public record CmMessageLost(PacketKind message) implements Fault {
    static TimedFault draw(final FaultDice dice, final PacketKind message) {
        return new TimedFault(new CmMessageLost(message), dice.cmMessages());
    }

    @Override
    public String label() {
        return label(message);
    }

    @Override
    public Damage damage() {
        return Damage.PACKETS;
    }

    @Override
    public boolean concerns(final Packet packet) {
        return packet.kind() == message;
    }

    @Override
    public void judge(final Packet packet, final SplittableRandom random) {
        packet.drop();
    }

    static String label(final PacketKind message) {
        return message.name().replace('_', ' ') + " lost";
    }
}
