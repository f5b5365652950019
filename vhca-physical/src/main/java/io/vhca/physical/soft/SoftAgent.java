package io.vhca.physical.soft;

import io.vhca.api.Uninterrupted;
import io.vhca.physical.soft.carrier.Carrier;
import io.vhca.physical.soft.udp.UdpCarrier;
import java.lang.System.Logger;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * The thread that runs a soft device while no application thread does.
 *
 * <p>Posting and polling run the engine in the caller's thread; while that goes on this one only naps ({@link
 * AgentNaps}), and where one of them owns the engine for long as well. A thread that blocks for an event waits for the
 * end of a nap at most when those that poll stop. Otherwise it blocks in ppoll(2) on the socket until a packet comes or
 * a deadline is near, for as long as {@link AgentDoze} says: an idle device costs ten wake-ups a second. It also
 * looks after the link.
 */
final class SoftAgent implements Runnable {
    private static final Logger LOGGER = System.getLogger(SoftAgent.class.getName());
    private static final long LINK_CHECK_NS = 2_000_000;
    private static final long OWNED_NAP_NS = 20_000;
    /** On a busy host it may be long until the thread runs once more; who closes waits no longer than that. */
    private static final long STOP_TIMEOUT_NS = 30_000_000_000L;

    private final SoftAdapter adapter;
    private final UdpCarrier carrier;
    private final Thread thread;
    private final AtomicInteger waiters = new AtomicInteger();
    private final AgentNaps naps = new AgentNaps();
    private final AgentDoze doze = new AgentDoze();
    private volatile boolean isStopped;
    /** What the thread closes when it ends; guarded by this. */
    private @Nullable Carrier left;
    /** Guarded by this. */
    private boolean hasEnded;

    SoftAgent(final String name, final SoftAdapter adapter, final UdpCarrier carrier) {
        this.adapter = adapter;
        this.carrier = carrier;
        thread = new Thread(this, "vhca-" + name);
        thread.setDaemon(true);
    }

    /** The clock of threads that run the engine inline; notes that one does. */
    long inlineNowNs() {
        if (doze.run()) {
            carrier.wakeUp();
        }
        return System.nanoTime();
    }

    void start() {
        thread.start();
    }

    /** Ends a nap, or a doze. */
    void wake() {
        if (Thread.currentThread() != thread) {
            LockSupport.unpark(thread);
            if (doze.isOver()) {
                carrier.wakeUp();
            }
        }
    }

    /** While a thread blocks for an event, naps are short. */
    void waiting(final boolean starts) {
        if (starts) {
            waiters.incrementAndGet();
            LockSupport.unpark(thread);
        } else {
            waiters.decrementAndGet();
        }
    }

    /**
     * Returns when the thread has ended, to an interrupted caller too, or has not for long; called by itself, it ends
     * after this.
     */
    void stop() {
        isStopped = true;
        LockSupport.unpark(thread);
        carrier.wakeUp();
        final long beganNs = System.nanoTime();
        if (Thread.currentThread() != thread && thread.isAlive()) {
            Uninterrupted.await(
                    () -> thread.join(Duration.ofNanos(STOP_TIMEOUT_NS - (System.nanoTime() - beganNs))));
        }
    }

    /**
     * Closes a carrier that the thread uses: at once, or when the thread ends where it outlives {@link #stop}. One that
     * could not be started does not live.
     */
    void close(final Carrier used) {
        synchronized (this) {
            if (!hasEnded && thread.isAlive()) {
                left = used;
                return;
            }
        }
        used.close();
    }

    private void ended() {
        final Carrier mine;
        synchronized (this) {
            hasEnded = true;
            mine = left;
        }
        if (mine != null) {
            mine.close();
        }
    }

    @Override
    public void run() {
        int seenRuns = doze.runs();
        long linkCheckNs = System.nanoTime();
        try {
            while (!isStopped) {
                final long now = System.nanoTime();
                if (now - linkCheckNs >= 0 || carrier.takeLinkTold()) {
                    carrier.checkLink(now);
                    linkCheckNs = now + LINK_CHECK_NS;
                }
                if (adapter.doWork(now) > 0) {
                    doze.end();
                    continue;
                }
                final int runs = doze.runs();
                if (runs != seenRuns) {
                    doze.end();
                    final long napNs = naps.nextNs(runs - seenRuns, waiters.get() > 0);
                    seenRuns = runs;
                    LockSupport.parkNanos(this, napNs);
                } else if (adapter.nic().isRunElsewhere()) {
                    // Who runs it does what there is to do, and may need this processor for that.
                    LockSupport.parkNanos(this, OWNED_NAP_NS);
                } else if (!adapter.hasWork()) {
                    naps.end();
                    block(now, seenRuns);
                }
            }
        } catch (final RuntimeException | Error e) {
            lost(e);
        } finally {
            ended();
        }
    }

    /** The log comes last: in a full heap there may be no room for its line, and who waits hears of it first. */
    private void lost(final Throwable why) {
        try {
            adapter.nic().kill();
        } finally {
            try {
                adapter.cm().deviceRemoved();
            } finally {
                LOGGER.log(Logger.Level.ERROR, adapter.name() + ": the device is lost, its engine failed", why);
            }
        }
    }

    private void block(final long now, final int seenRuns) {
        final long longest = doze.nextNs(carrier.isToldOfLinks());
        final long deadline = adapter.nextDeadlineNs();
        final long untilDeadline = deadline == Long.MAX_VALUE ? longest : deadline - now;
        if (untilDeadline > 0 && doze.runs() == seenRuns && !adapter.hasWork()) {
            carrier.awaitPacket(Math.min(untilDeadline, longest));
        }
        doze.quiet();
    }
}
