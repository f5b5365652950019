package io.vhca.harness.sim.host;

import io.vhca.harness.sim.core.Deadlines;
import io.vhca.harness.sim.core.Draws;
import io.vhca.harness.sim.core.Side;
import io.vhca.harness.sim.fault.HostThread;
import io.vhca.harness.sim.fault.TurnRule;
import java.util.Set;
import java.util.SplittableRandom;

/** The turns of one host's threads, and its clock. The simulator's thread. */
public final class HostTurns {
    private static final int FIRST_STREAM = 6;

    private final ThreadTurns[] threads = new ThreadTurns[HostThread.values().length];
    private long aheadNs;
    private boolean isStirred = true;

    HostTurns(final long seed, final Side side) {
        final SplittableRandom random = Draws.stream(seed, FIRST_STREAM + side.ordinal());
        for (int i = 0; i < threads.length; i++) {
            threads[i] = new ThreadTurns(random.split());
        }
    }

    /** The turns of one thread. */
    public ThreadTurns of(final HostThread thread) {
        return threads[thread.ordinal()];
    }

    /** Something happened on this host that its bond may have to look at: an event, a call of the application. */
    public void stir() {
        isStirred = true;
    }

    /** The bond's thread looked. */
    void calm() {
        isStirred = false;
    }

    boolean isStirred() {
        return isStirred;
    }

    void starve(final Set<HostThread> starved, final TurnRule rule) {
        starved.forEach(thread -> of(thread).starve(rule));
    }

    void feed(final TurnRule rule) {
        for (final ThreadTurns thread : threads) {
            thread.feed(rule);
        }
    }

    void jumpClock(final long byNs) {
        aheadNs += byNs;
    }

    /** What the host's clock shows. */
    long clockNs(final long nowNs) {
        return nowNs + aheadNs;
    }

    /** When its clock shows that; {@link Deadlines#NONE} for never. */
    long whenNs(final long clockNs) {
        return clockNs == Deadlines.NONE ? clockNs : clockNs - aheadNs;
    }
}
