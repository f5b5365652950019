package io.vhca.rdp.shared;

import io.vhca.rdp.unix.Futex;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;

/**
 * Threads of a client that wait for something of the driver. Who waits yields for a while, comes in, looks once more,
 * parks, looks and goes out. Where the kernel can, the driver wakes them itself, by a word of the shared memory; else,
 * and virtual threads, which would keep their carrier there, the client's own thread does when the driver has rung. Any
 * thread.
 */
final class Sleepers {
    /** So often a thread leaves the processor to the driver, which may have no other, before it sleeps. */
    private static final int YIELDS = 20;

    /** A thread that sleeps looks again after this, whatever happens. */
    private static final long MOST_PARK_NS = 10_000_000;

    private final Set<Thread> threads = ConcurrentHashMap.newKeySet();

    /**
     * Lets the driver have the processor.
     *
     * @param looks how often the thread has found nothing
     * @return false where it did that often enough, and is to sleep
     */
    static boolean yields(final int looks) {
        if (looks >= YIELDS) {
            return false;
        }
        Thread.yield();
        return true;
    }

    /** How often it has looked after one look more: a count that never ends in a thread that waits for days. */
    static int next(final int looks) {
        return Math.min(looks + 1, YIELDS);
    }

    /**
     * This thread is woken from now on, also by what the driver writes now.
     *
     * @return the word it is to sleep at, which each wake-up changes
     */
    int in(final Attachment attachment) {
        threads.add(Thread.currentThread());
        return attachment.region().clientSleeps(isByWord() ? RegionDescriptor.BY_WORD : RegionDescriptor.BY_BYTE);
    }

    private static boolean isByWord() {
        return Futex.IS_AVAILABLE && !Thread.currentThread().isVirtual();
    }

    /**
     * Sleeps; at an attachment that is over, until the client's own thread wakes it, which has found another.
     *
     * @param word what {@link #in} said
     */
    void park(final Attachment attachment, final int word, final long mostNs) {
        final long ns = Math.min(mostNs, MOST_PARK_NS);
        if (isByWord() && attachment.end() == null) {
            attachment.region().awaitDriver(word, ns);
        } else {
            LockSupport.parkNanos(this, ns);
        }
    }

    void out() {
        threads.remove(Thread.currentThread());
    }

    void wakeAll() {
        threads.forEach(LockSupport::unpark);
    }
}
