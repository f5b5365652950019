package io.vhca.physical.soft.engine;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/** A word that a thread spins on: held for the few instructions of one post or poll, never across a call that waits. */
final class SpinLock {
    private static final VarHandle HELD;

    static {
        try {
            HELD = MethodHandles.lookup().findVarHandle(SpinLock.class, "held", int.class);
        } catch (final ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    @SuppressWarnings("unused")
    private volatile int held;

    void lock() {
        while (!HELD.compareAndSet(this, 0, 1)) {
            Thread.onSpinWait();
        }
    }

    /** Partner of the compare-and-set in {@link #lock}. */
    void unlock() {
        HELD.setRelease(this, 0);
    }
}
