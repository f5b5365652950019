package io.vhca.physical.soft.engine.core;

import io.vhca.api.AsyncEvent;
import io.vhca.api.CompletionQueue;

/**
 * What every part of a transport engine needs: its time, its ownership, its timers, its configuration, its counters and
 * the way out for events.
 *
 * <p>One thread at a time owns the engine. Unless a method says otherwise, only the owner calls it.
 */
public interface EngineCore {
    /** The device's name, for messages. Any thread. */
    String name();

    /** Limits and options. Any thread. */
    SoftNicConfig config();

    /** The device's counters; the owner writes them. */
    NicCounters counters();

    /** The time of the duty cycle. */
    long nowNs();

    /** True once the device was killed. Any thread. */
    boolean isDead();

    /** Waits until the calling thread owns the engine, for one duty cycle at most; reentrant. Any thread. */
    void acquire();

    /** As {@link #acquire}, but throws EIO on a dead device and leaves the engine alone then. Any thread. */
    void acquireFor(String verb);

    /** Gives up what {@link #acquire} took. */
    void release();

    /** True when the calling thread owns the engine. Any thread. */
    boolean isOwner();

    /** Reports an asynchronous event. */
    void raise(AsyncEvent event);

    /** Reports that a queue pair, CQ or SRQ is destroyed. It raises nothing more. */
    void destroyed(Object object);

    /** Reports the first request of a peer. */
    void firstRequest(int qpNum);

    /** Reports that an armed CQ got the completion that it was armed for. */
    void notifyCq(CompletionQueue cq);

    /**
     * Runs the engine in the calling thread, which polls, where the configuration has an inline clock. Any thread; the
     * caller holds no lock.
     *
     * @return true when the engine ran
     */
    boolean driveInline();

    /**
     * As {@link #driveInline}, but packets may stay in the carrier, and answers to what is received now unwritten: the
     * caller polled a CQ. If it gets completions it will be back soon, with requests that go out together with them;
     * else it says so by {@link #sendHeld}.
     */
    boolean driveHolding();

    /** Sends what {@link #driveHolding} left. Any thread. */
    void sendHeld();

    /**
     * As {@link #driveInline}, for a thread that has posted sends.
     *
     * @param isAnswerDue an acknowledgement of the queue pair is on its way: the engine runs soon in any case
     */
    void driveSends(boolean isAnswerDue);

    /** The engine failed at a queue pair: a defect of its own. Counts it, and logs it where it is the first. */
    void queuePairFault(Throwable e);

    /** Throws EINVAL with {@code rule} as its detail unless {@code isRight}. Any thread. */
    void require(String verb, boolean isRight, String rule);
}
