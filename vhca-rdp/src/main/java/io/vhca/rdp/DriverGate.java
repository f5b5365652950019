package io.vhca.rdp;

import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Lets one thread at a time into a driver, as a provider's spin lock does: what is done inside never blocks. Threads
 * that wait spin, then give the processor up.
 */
class DriverGate {
    private static final int SPINS = 100;

    private final AtomicBoolean isTaken = new AtomicBoolean();

    void enter() {
        for (int spins = 0; !tryEnter(); spins++) {
            if (spins < SPINS) {
                Thread.onSpinWait();
            } else {
                Thread.yield();
            }
        }
    }

    boolean tryEnter() {
        // Acquire pairs with the release of leave: who enters sees all that was done inside.
        return !isTaken.getPlain() && isTaken.compareAndSet(false, true);
    }

    void leave() {
        isTaken.setRelease(false);
    }
}
