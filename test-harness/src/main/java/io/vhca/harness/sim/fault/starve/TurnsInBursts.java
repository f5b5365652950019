package io.vhca.harness.sim.fault.starve;

import io.vhca.harness.sim.core.Side;
import io.vhca.harness.sim.fault.FaultDice;
import io.vhca.harness.sim.fault.HostThread;
import io.vhca.harness.sim.fault.TimedFault;
import io.vhca.harness.sim.fault.Timing;
import java.util.EnumSet;
import java.util.Set;

/** A process is stopped and continued, as by SIGSTOP and SIGCONT, or by a host that has no processor for it. */
public record TurnsInBursts(Side side, long stopNs, long runNs) implements Starvation {
    public static final String LABEL = "process stopped and continued";

    private static final Set<HostThread> ALL = EnumSet.allOf(HostThread.class);
    private static final int MOST_BURSTS = 6;
    private static final int MOST_SHARES = 17;

    /** It has one share of 2 to 16 of the time, and is stopped for the others. */
    public static TimedFault draw(final FaultDice dice) {
        final long stopNs = dice.outageNs();
        final long runNs = Math.max(1, stopNs / dice.number(1, MOST_SHARES - 1));
        return new TimedFault(
                new TurnsInBursts(dice.side(), stopNs, runNs),
                new Timing.Period(dice.packet(), dice.number(1, MOST_BURSTS) * (stopNs + runNs), 1));
    }

    @Override
    public String label() {
        return LABEL;
    }

    @Override
    public Set<HostThread> threads() {
        return ALL;
    }

    @Override
    public long stopNs(final long sinceBeginNs) {
        return Math.max(0, stopNs - sinceBeginNs % (stopNs + runNs));
    }
}
