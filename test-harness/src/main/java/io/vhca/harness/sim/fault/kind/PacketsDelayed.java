package io.vhca.harness.sim.fault.kind;

import io.vhca.harness.sim.core.Side;
import io.vhca.harness.sim.fault.Damage;
import io.vhca.harness.sim.fault.Fault;
import io.vhca.harness.sim.fault.FaultDice;
import io.vhca.harness.sim.fault.Packet;
import io.vhca.harness.sim.fault.TimedFault;
import java.util.SplittableRandom;

/** All that one side sends is late for a while. */
public record PacketsDelayed(Side sender, long delayNs) implements Fault {
    static final String LABEL = "packets delayed";

    static TimedFault draw(final FaultDice dice) {
        final long delayNs = dice.delayNs();
        return new TimedFault(new PacketsDelayed(dice.side(), delayNs), dice.whileDelayed(delayNs));
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
        if (packet.sender() == sender) {
            packet.delay(delayNs);
        }
    }
}
