package io.vhca.physical.soft.engine.core;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * Which thread owns the engine. One thread at a time does; it may take the ownership again and gives it up as often as
 * it took it. What the owner wrote is visible to the next owner.
 */
public final class Ownership {
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

    /** True when the calling thread is the owner. */
    public boolean isMine() {
        return owner == Thread.currentThread();
    }

    /** True when another thread is the owner; a moment later it may be otherwise. */
    public boolean isOthers() {
        final Thread now = owner;
        return now != null && now != Thread.currentThread();
    }

    /** Takes it for the first time; false when any thread has it, the calling one included. */
    public boolean tryTake() {
        if (owner == null && OWNER.compareAndSet(this, (Thread) null, Thread.currentThread())) {
            depth = 1;
            return true;
        }
        return false;
    }

    /** Takes it, waiting for the duty cycle of another thread to end. */
    public void take() {
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

    /**
     * Gives it up. What the owner reads after the last release is read after other threads see that it is free: who
     * rang a doorbell and could not take the ownership relies on the owner to look once more. Partner of the
     * compare-and-set in {@link #tryTake}.
     */
    public void release() {
        assert isMine() && depth > 0 : "only the owner releases";
        if (--depth == 0) {
            OWNER.setVolatile(this, (Thread) null);
        }
    }
}
