package io.vhca.physical.soft.engine.core;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/** A lock that waiting threads spin on. It is held for one post or one poll, never across a call that waits. */
public final class SpinLock {
    private static final VarHandle HELD;

    static {
        try {
            HELD = MethodHandles.lookup().findVarHandle(SpinLock.class, "held", int.class);
        } catch (final ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private volatile int held;

    /** Spins until the calling thread holds the lock; not reentrant. */
    public void lock() {
        while (!HELD.compareAndSet(this, 0, 1)) {
            Thread.onSpinWait();
        }
    }

    /** True while any thread holds it. */
    public boolean isHeld() {
        return held == 1;
    }

    /** Partner of the compare-and-set in {@link #lock}. */
    public void unlock() {
        assert held == 1 : "the lock is not held";
        HELD.setRelease(this, 0);
    }
}
