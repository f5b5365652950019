package io.vhca.harness.sim.scenario;

import io.vhca.harness.sim.core.Draws;
import java.util.SplittableRandom;

/** What the applications do once all work of a scenario is done. Nothing else may come to harm by it. */
public enum Ending {
    /** Both applications disconnect. */
    QUIET,
    /** A request with a key that is not valid any more, or never was: REM_ACCESS_ERR, and no byte changes. */
    STALE_KEY,
    /** A region is deregistered while a WRITE to it waits for a path: REM_ACCESS_ERR, and no byte changes. */
    DEREGISTERED,
    /** An application disconnects in the middle of a recovery. */
    DISCONNECTED,
    /** An application moves its queue pairs to ERR in the middle of a recovery. */
    MOVED_TO_ERR,
    /** An application destroys its queue pairs in the middle of a recovery. */
    DESTROYED,
    /** Both applications close everything in the middle of a recovery. */
    CLOSED;

    /** Two of five are quiet. Without a bond there is no recovery that could be disturbed. */
    static Ending draw(final SplittableRandom random, final boolean isBond) {
        final Ending drawn = Draws.percent(random, 40) ? QUIET : values()[random.nextInt(1, values().length)];
        return isBond || !drawn.isInRecovery() ? drawn : QUIET;
    }

    /** True where the queue pairs need a path that fails, and something to lose. */
    private boolean isInRecovery() {
        return this != QUIET && this != STALE_KEY;
    }
}
