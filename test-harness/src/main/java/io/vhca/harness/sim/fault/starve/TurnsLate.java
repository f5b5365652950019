package io.vhca.harness.sim.fault.starve;

import io.vhca.harness.sim.core.Side;
import io.vhca.harness.sim.fault.FaultDice;
import io.vhca.harness.sim.fault.HostThread;
import io.vhca.harness.sim.fault.TimedFault;
import java.util.Set;
import java.util.SplittableRandom;

/** Threads of a host wait for their turns, now for longer and now not at all, as beside other busy processes. */
public record TurnsLate(Side side, Set<HostThread> threads, long mostNs) implements Starvation {
    public static final String LABEL = "threads get turns late";

    public static TimedFault draw(final FaultDice dice) {
        return new TimedFault(new TurnsLate(dice.side(), dice.threads(), dice.delayNs()), dice.starvation());
    }

    @Override
    public String label() {
        return LABEL;
    }

    @Override
    public long pauseNs(final SplittableRandom random) {
        return random.nextLong(mostNs);
    }
}
