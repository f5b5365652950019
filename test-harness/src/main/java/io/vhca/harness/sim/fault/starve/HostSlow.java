package io.vhca.harness.sim.fault.starve;

import io.vhca.harness.sim.core.Side;
import io.vhca.harness.sim.fault.Damage;
import io.vhca.harness.sim.fault.Fault;
import io.vhca.harness.sim.fault.FaultDice;
import io.vhca.harness.sim.fault.FaultTarget;
import io.vhca.harness.sim.fault.HostThread;
import io.vhca.harness.sim.fault.TimedFault;
import io.vhca.harness.sim.fault.TurnRule;
import java.util.Set;
import java.util.SplittableRandom;

/** A host is much slower than the other: each turn of its threads takes a while, where else it takes none. */
public record HostSlow(Side side, Set<HostThread> threads, long turnNs) implements Fault, TurnRule {
    public static final String LABEL = "a host is slow";

    public static TimedFault draw(final FaultDice dice) {
        return new TimedFault(new HostSlow(dice.side(), dice.threads(), dice.delayNs()), dice.starvation());
    }

    @Override
    public String label() {
        return LABEL;
    }

    @Override
    public Damage damage() {
        return Damage.ofStarving(threads);
    }

    @Override
    public boolean begin(final FaultTarget target) {
        target.onHost(side, host -> host.starve(threads, this));
        return true;
    }

    @Override
    public void end(final FaultTarget target) {
        target.onHost(side, host -> host.feed(this));
    }

    @Override
    public long pauseNs(final SplittableRandom random) {
        return turnNs;
    }
}
