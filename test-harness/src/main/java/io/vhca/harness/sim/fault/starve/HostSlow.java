package io.vhca.harness.sim.fault.starve;

import io.vhca.harness.sim.core.Side;
import io.vhca.harness.sim.fault.FaultDice;
import io.vhca.harness.sim.fault.HostThread;
import io.vhca.harness.sim.fault.TimedFault;
import java.util.Set;
import java.util.SplittableRandom;

/** A host is much slower than the other: each turn of its threads takes a while, where else it takes none. */
public record HostSlow(Side side, Set<HostThread> threads, long turnNs) implements Starvation {
    public static final String LABEL = "a host is slow";

    public static TimedFault draw(final FaultDice dice) {
        return new TimedFault(new HostSlow(dice.side(), dice.threads(), dice.delayNs()), dice.starvation());
    }

    @Override
    public String label() {
        return LABEL;
    }

    @Override
    public long pauseNs(final SplittableRandom random) {
        return turnNs;
    }
}
