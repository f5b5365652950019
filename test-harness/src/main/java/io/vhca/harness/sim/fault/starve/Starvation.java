package io.vhca.harness.sim.fault.starve;

import io.vhca.harness.sim.core.Side;
import io.vhca.harness.sim.fault.Damage;
import io.vhca.harness.sim.fault.Fault;
import io.vhca.harness.sim.fault.FaultTarget;
import io.vhca.harness.sim.fault.HostThread;
import io.vhca.harness.sim.fault.TurnRule;
import java.util.Set;

/** Some threads of a host get fewer turns than they want, by a rule; nothing is lost by it. */
sealed interface Starvation extends Fault, TurnRule permits HostSlow, TurnsInBursts, TurnsLate {
    Side side();

    Set<HostThread> threads();

    @Override
    default Damage damage() {
        return Damage.ofStarving(threads());
    }

    @Override
    default boolean begin(final FaultTarget target) {
        target.onHost(side(), host -> host.starve(threads(), this));
        return true;
    }

    @Override
    default void end(final FaultTarget target) {
        target.onHost(side(), host -> host.feed(this));
    }
}
