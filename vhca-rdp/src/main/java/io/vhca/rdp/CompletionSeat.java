package io.vhca.rdp;

import io.vhca.api.CompletionChannel;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * The place where one thread of the application that waits sleeps on the completions of a driver itself: what comes for
 * it wakes it, and not the driver's thread, which would wake it in turn. Others that wait are parked beside it, and are
 * woken by who finds something for them. Any thread.
 */
final class CompletionSeat {
    /** A thread that is parked looks again after this, should another one have been woken in its place. */
    private static final long MOST_PARK_NS = 1_000_000;

    private final CompletionChannel completions;
    private final AtomicReference<@Nullable Thread> sitter = new AtomicReference<>();
    private final AtomicInteger parked = new AtomicInteger();

    CompletionSeat(final CompletionChannel completions) {
        this.completions = completions;
    }

    /** True where the calling thread has it from now on; false where it had it, or another one has it. */
    boolean take() {
        final Thread self = Thread.currentThread();
        // A virtual thread would keep its carrier while it sleeps there.
        return sitter.get() == null && !self.isVirtual() && sitter.compareAndSet(null, self);
    }

    boolean isMine() {
        return sitter.get() == Thread.currentThread();
    }

    boolean isTaken() {
        return sitter.get() != null;
    }

    /** A call that may have waited is over; true where the seat is free by that and others wait. */
    boolean leave() {
        if (!isMine()) {
            return false;
        }
        sitter.set(null);
        return parked.get() > 0;
    }

    /** Parks the calling thread, which has not got it. */
    void park(final long mostNs) {
        assert !isMine();
        parked.getAndIncrement();
        LockSupport.parkNanos(this, Math.min(mostNs, MOST_PARK_NS));
        parked.getAndDecrement();
    }

    /** There is something for a thread that waits. */
    void wake(final Thread waiter) {
        if (sitter.get() != waiter) {
            LockSupport.unpark(waiter);
        } else if (waiter != Thread.currentThread()) {
            completions.wakeUp();
        }
    }

    /** Someone else slept on the completions, and may have been woken in place of who has the seat. */
    void passOn() {
        if (isTaken()) {
            completions.wakeUp();
        }
    }
}
