package io.vhca.physical.soft.engine;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/** Which thread runs the engine now. A thread that has it may take it again; control calls wait for it, briefly. */
final class Ownership {
    private static final VarHandle OWNER;
    private static final int SPINS_BEFORE_YIELD = 100;

    static {
        try {
            OWNER = MethodHandles.lookup().findVarHandle(Ownership.class, "owner", Thread.class);
        } catch (final ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private volatile @Nullable Thread owner;
    private int depth;

    boolean isMine() {
        return owner == Thread.currentThread();
    }

    /** False when any thread has it, this one included. */
    boolean tryTake() {
        if (owner == null && OWNER.compareAndSet(this, (Thread) null, Thread.currentThread())) {
            depth = 1;
            return true;
        }
        return false;
    }

    void take() {
        if (isMine()) {
            depth++;
            return;
        }
        int spins = 0;
        while (!tryTake()) {
            if (++spins < SPINS_BEFORE_YIELD) {
                Thread.onSpinWait();
            } else {
                Thread.yield();
            }
        }
    }

    /** Partner of the compare-and-set in {@link #tryTake}. */
    void release() {
        if (--depth == 0) {
            OWNER.setRelease(this, (Thread) null);
        }
    }
}
