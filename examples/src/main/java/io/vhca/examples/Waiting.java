package io.vhca.examples;

import java.util.concurrent.locks.LockSupport;

/** How the examples wait for a completion: spin briefly, then give the processor away, then sleep in short naps. */
final class Waiting {
    private static final int SPINS = 50;
    private static final int YIELDS = 5_000;
    private static final long NAP_NS = 50_000;

    private Waiting() {}

    /** @param round how many rounds were empty before */
    static void pause(final int round) {
        if (round < SPINS) {
            Thread.onSpinWait();
        } else if (round < YIELDS) {
            Thread.yield();
        } else {
            LockSupport.parkNanos(NAP_NS);
        }
    }

    /** True where {@link #pause} sleeps: there is time to look at something that costs a call. */
    static boolean isNap(final int round) {
        return round >= YIELDS;
    }
}
