package io.vhca.harness.sim.fault.kind;

import io.vhca.harness.sim.fault.Damage;
import io.vhca.harness.sim.fault.Effect;
import io.vhca.harness.sim.fault.FaultDice;
import io.vhca.harness.sim.fault.FaultTarget;
import io.vhca.harness.sim.fault.Lasting;
import io.vhca.harness.sim.fault.Members;
import io.vhca.harness.sim.fault.TimedFault;
import io.vhca.harness.sim.fault.Timing;
import io.vhca.physical.soft.fabric.FabricPort;
import java.util.Set;

/**
 * The switch pauses a member's port, one priority or all (PFC): packets wait and none is lost. A short pause is no
 * failure, so that nothing may move; after a long one a path may have been given up.
 *
 * @param priorities a bit each
 */
public record LinkPaused(Members port, int priorities, boolean isShort) implements Lasting {
    static final String SHORT = "link paused shortly";
    static final String LONG = "link paused";

    private static final int PRIORITY_OF_PLAIN_PACKETS = 1;

    static TimedFault drawShort(final FaultDice dice) {
        return draw(dice, true, new Timing.Period(dice.packet(), dice.unnoticedNs(), 1));
    }

    static TimedFault drawLong(final FaultDice dice) {
        return draw(dice, false, dice.outage());
    }

    private static TimedFault draw(final FaultDice dice, final boolean isShort, final Timing timing) {
        final int priorities = dice.oneIn(2) ? FabricPort.ALL_PRIORITIES : PRIORITY_OF_PLAIN_PACKETS;
        return new TimedFault(new LinkPaused(dice.member(), priorities, isShort), timing);
    }

    @Override
    public String label() {
        return isShort ? SHORT : LONG;
    }

    @Override
    public Damage damage() {
        return isShort ? Damage.NONE : Damage.PATH;
    }

    @Override
    public void turn(final FaultTarget target, final boolean isOn) {
        port.forEach(member -> target.pauseTransmit(port.side(), member, priorities, isOn));
    }

    @Override
    public Set<Effect> effects() {
        return isShort ? Set.of(Effect.NOTHING_MAY_MOVE) : Set.of();
    }
}
