package io.vhca.physical.soft.engine;

import java.util.function.LongSupplier;

/**
 * Runs an engine in the threads that post and poll, and decides when it may do less: each look for received packets is
 * a system call.
 *
 * <p>A post sends and does not look for packets, because whoever posts polls as well; only every {@value
 * #POSTS_BEFORE_RECEIVE}th does. Of posts in quick succession that follow others not yet answered, {@value
 * #POSTS_BEFORE_SEND} go out together, or fewer when the caller polls in between: packets sent together cost the kernel
 * little more than one. Where neither happens, the device's own thread sends them with its next turn.
 *
 * <p>A device that found nothing in {@value #IDLE_BEFORE_REST} polls in a row rests: from then on every {@value
 * #REST_STRIDE}th poll runs it, and others only when it has something to send. So a device that is idle and polled
 * along with a busy one costs little.
 *
 * <p>Any thread. The counts are racy on purpose: a count that is a little wrong does no harm.
 */
final class InlineDrive {
    static final int POSTS_BEFORE_RECEIVE = 16;
    static final int POSTS_BEFORE_SEND = 8;
    /** A post that comes so long after the engine did something is no part of a burst. */
    static final long BURST_NS = 10_000;
    static final int IDLE_BEFORE_REST = 256;
    static final int REST_STRIDE = 8;
    private static final int YIELD_STRIDE = 8;

    private final Engine engine;
    private final LongSupplier clock;
    /** Polls in a row that found nothing; wraps within the rest. */
    private int idlePolls;

    private int postsSinceReceive;
    private int postsSinceRun;
    private long ranNs;

    InlineDrive(final Engine engine, final LongSupplier clock) {
        this.engine = engine;
        this.clock = clock;
    }

    /** True when the engine ran; {@code isHolding} as in {@link Engine#run(long, boolean, boolean)}. */
    boolean onPoll(final boolean isHolding) {
        final int idle = idlePolls;
        final boolean isResting = idle >= IDLE_BEFORE_REST;
        if (isResting && idle % REST_STRIDE != 0 && !engine.hasWork()) {
            idlePolls = idle + 1;
            return false;
        }
        postsSinceReceive = 0;
        if (runAt(clock.getAsLong(), true, isHolding) > 0) {
            idlePolls = 0;
            return true;
        }
        idlePolls = idle >= 2 * IDLE_BEFORE_REST ? IDLE_BEFORE_REST + 1 : idle + 1;
        if (idle > 0 && idle % (isResting ? YIELD_STRIDE * REST_STRIDE : YIELD_STRIDE) == 0) {
            // The caller spins on an idle device: where cores are few, the peer it waits for may need this one.
            Thread.yield();
        }
        return true;
    }

    /** A poll that held what it sent found nothing. */
    void sendHeld() {
        runAt(clock.getAsLong(), false, false);
    }

    void onPost(final boolean isAnswerDue) {
        final long now = clock.getAsLong();
        if (isAnswerDue && ++postsSinceRun < POSTS_BEFORE_SEND && now - ranNs < BURST_NS) {
            return;
        }
        postsSinceReceive += Math.max(1, postsSinceRun);
        final boolean isReceiving = postsSinceReceive >= POSTS_BEFORE_RECEIVE;
        if (isReceiving) {
            postsSinceReceive = 0;
        }
        runAt(now, isReceiving, false);
    }

    private int runAt(final long now, final boolean isReceiving, final boolean isHolding) {
        postsSinceRun = 0;
        final int work = engine.run(now, isReceiving, isHolding);
        // What was received or sent took its time: a burst of posts begins behind that.
        ranNs = work > 0 ? clock.getAsLong() : now;
        return work;
    }
}
