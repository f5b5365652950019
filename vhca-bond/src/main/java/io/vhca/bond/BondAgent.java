package io.vhca.bond;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.agrona.concurrent.NanoClock;

/** The thread that drives a bond: runs its duty cycle, sleeps when there is nothing to do, wakes when told. */
final class BondAgent implements Runnable {
    private static final long LONGEST_SLEEP_NS = TimeUnit.MILLISECONDS.toNanos(1);
    private static final long SHORTEST_SLEEP_NS = TimeUnit.MICROSECONDS.toNanos(20);
    private static final long LINGER_NS = TimeUnit.MILLISECONDS.toNanos(500);

    private final BondContext context;
    private final NanoClock clock;
    private final Thread thread;
    private volatile boolean running = true;

    BondAgent(final BondContext context, final NanoClock clock) {
        this.context = context;
        this.clock = clock;
        thread = Thread.ofPlatform().daemon().name("vhca-" + context.name()).unstarted(this);
    }

    void start() {
        thread.start();
    }

    void wakeUp() {
        LockSupport.unpark(thread);
    }

    @Override
    public void run() {
        long sleepNs = SHORTEST_SLEEP_NS;
        while (running) {
            if (context.doWork(clock.nanoTime()) > 0) {
                sleepNs = SHORTEST_SLEEP_NS;
            } else {
                LockSupport.parkNanos(sleepNs);
                sleepNs = Math.min(LONGEST_SLEEP_NS, sleepNs * 2);
            }
        }
    }

    /** Gives connections that are saying good-bye the time to do so. */
    void linger() {
        final long start = clock.nanoTime();
        while (context.isSayingGoodbye() && clock.nanoTime() - start < LINGER_NS) {
            LockSupport.parkNanos(SHORTEST_SLEEP_NS);
        }
    }

    void close() {
        running = false;
        wakeUp();
        try {
            thread.join();
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
