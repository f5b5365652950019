package io.vhca.bond.core;

import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The control lock of a bond, which tells who has it: whoever asks waits for nobody, and nobody for him. Reentrant; any
 * thread.
 */
final class ControlLock {
    private final ReentrantLock lock = new ReentrantLock();
    private volatile @Nullable Thread holder;
    private volatile long turns;

    void lock() {
        lock.lock();
        if (lock.getHoldCount() == 1) {
            turns++; // whoever has the lock alone writes it
            holder = Thread.currentThread();
        }
    }

    void unlock() {
        if (lock.getHoldCount() == 1) {
            holder = null;
        }
        lock.unlock();
    }

    /** Lets one of those in who wait for the lock, where there is one: it would be taken again before they run. */
    void letIn() {
        assert !isMine() : "who has the lock lets nobody in";
        final long before = turns;
        while (lock.hasQueuedThreads() && turns == before) {
            Thread.yield();
        }
    }

    boolean isMine() {
        return lock.isHeldByCurrentThread();
    }

    /** Who has it now, or null. */
    @Nullable Thread holder() {
        return holder;
    }

    /** How often it was taken: while that does not change, who has it has had it all the time. */
    long turns() {
        return turns;
    }
}
