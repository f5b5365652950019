package io.vhca.harness.drill.protocol;

import java.util.concurrent.locks.LockSupport;

/**
 * How the drill's data threads wait: spin briefly, give the processor away, then nap. The only processor of a machine
 * is left to who has work sooner and for longer: the kernel's rxe among them.
 */
public final class Idling {
    private static final boolean IS_ONLY = Runtime.getRuntime().availableProcessors() == 1;
    private static final int SPINS = IS_ONLY ? 0 : 100;
    private static final int YIELDS = IS_ONLY ? 4 : 400;
    private static final long NAP_NS = IS_ONLY ? 1_000_000 : 100_000;

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
