package io.vhca.rdp.shared;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;

/**
 * Threads of a client that wait for something of the driver. Who waits comes in, looks once more, parks, looks and goes
 * out; the client's own thread wakes them all when the driver has rung. Any thread.
 */
final class Sleepers {
    /** A thread that sleeps looks again after this, whatever happens. */
    private static final long MOST_PARK_NS = 10_000_000;

    private final Set<Thread> threads = ConcurrentHashMap.newKeySet();

    /** This thread is woken from now on, also by what the driver writes now. */
    void in(final SharedRegion region) {
        threads.add(Thread.currentThread());
        region.sleeps(SharedEnd.CLIENT);
    }

    void park(final long mostNs) {
        LockSupport.parkNanos(this, Math.min(mostNs, MOST_PARK_NS));
    }

    void out() {
        threads.remove(Thread.currentThread());
    }

    void wakeAll() {
        threads.forEach(LockSupport::unpark);
    }
}
