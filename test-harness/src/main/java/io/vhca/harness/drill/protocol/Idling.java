package io.vhca.harness.drill.protocol;

import java.util.concurrent.locks.LockSupport;

/** How the drill's data threads wait: spin briefly, give the processor away, then nap. */
public final class Idling {
    private static final int SPINS = 100;
    private static final int YIELDS = 400;
    private static final long NAP_NS = 100_000;

    private Idling() {}

    /** @param rounds how many rounds in a row found nothing; 0 does not wait */
    public static void pause(final int rounds) {
        if (rounds == 0) {
            return;
        }
        if (rounds < SPINS) {
            Thread.onSpinWait();
        } else if (rounds < YIELDS) {
            Thread.yield();
        } else {
            LockSupport.parkNanos(NAP_NS);
        }
    }
}
