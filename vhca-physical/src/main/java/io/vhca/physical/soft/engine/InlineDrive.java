package io.vhca.physical.soft.engine;

import java.util.function.LongSupplier;

/**
 * Runs an engine in the threads that post and poll, and knows when less will do: a look for packets is a system call.
 *
 * <p>A post sends and does not look, because whoever posts polls as well; every {@value #POSTS_BEFORE_RECEIVE}th looks
 * all the same. A device that has been idle for {@value #IDLE_BEFORE_REST} polls in a row rests: only every
 * {@value #REST_STRIDE}th poll runs it, unless it has something to do by itself. So a standby that is polled along with
 * a busy device costs little.
 *
 * <p>Any thread. The counts are racy on purpose: any number near them will do.
 */
final class InlineDrive {
    static final int POSTS_BEFORE_RECEIVE = 16;
    static final int IDLE_BEFORE_REST = 256;
    static final int REST_STRIDE = 8;
    private static final int YIELD_STRIDE = 8;

    private final SoftNic nic;
    private final LongSupplier clock;
    /** Polls in a row that found nothing; wraps within the rest. */
    private int idlePolls;

    private int postsSinceReceive;

    InlineDrive(final SoftNic nic, final LongSupplier clock) {
        this.nic = nic;
        this.clock = clock;
    }

    /** True when the engine ran. */
    boolean onPoll() {
        final int idle = idlePolls;
        final boolean isResting = idle >= IDLE_BEFORE_REST;
        if (isResting && idle % REST_STRIDE != 0 && !nic.hasWork()) {
            idlePolls = idle + 1;
            return false;
        }
        postsSinceReceive = 0;
        if (nic.run(clock.getAsLong(), true) > 0) {
            idlePolls = 0;
            return true;
        }
        idlePolls = idle >= 2 * IDLE_BEFORE_REST ? IDLE_BEFORE_REST + 1 : idle + 1;
        if (idle > 0 && idle % (isResting ? YIELD_STRIDE * REST_STRIDE : YIELD_STRIDE) == 0) {
            // Somebody spins on an idle device: where cores are few, the peer it waits for may need this one.
            Thread.yield();
        }
        return true;
    }

    void onPost() {
        if (++postsSinceReceive >= POSTS_BEFORE_RECEIVE) {
            postsSinceReceive = 0;
            nic.run(clock.getAsLong(), true);
        } else {
            nic.run(clock.getAsLong(), false);
        }
    }
}
