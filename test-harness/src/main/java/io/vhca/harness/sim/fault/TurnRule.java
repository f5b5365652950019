package io.vhca.harness.sim.fault;

import java.util.SplittableRandom;

/** How a starved thread gets its turns. Immutable; what a host's threads have had is the host's to know. */
public interface TurnRule {
    /** After a turn: how long the next one waits at least. */
    default long pauseNs(final SplittableRandom random) {
        return 0;
    }

    /**
     * For how long there is no turn at all, asked so much time after the starvation began; 0 where one may be now.
     */
    default long stopNs(final long sinceBeginNs) {
        return 0;
    }
}
