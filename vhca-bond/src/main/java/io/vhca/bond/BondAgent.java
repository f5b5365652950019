package io.vhca.bond;

import io.vhca.api.Uninterrupted;
import io.vhca.bond.control.ControlActivity;
import io.vhca.bond.core.BondCore;
import io.vhca.bond.core.BondCounters;
import java.lang.System.Logger;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import java.util.function.LongToIntFunction;
import org.agrona.concurrent.NanoClock;

/**
 * The thread that drives a bond: runs its duty cycle, sleeps when there is nothing to do, wakes when told, as by what
 * happens to a member and by what peers' bonds say. While they talk about what applications wait for it does not sleep:
 * to be woken takes longer than an answer.
 *
 * <p>A turn that throws is a defect: it is counted, the first one is logged, and the next turn goes on. A bond without
 * its thread would leave every application waiting for ever, so a full heap, which has no room for a line of the log
 * either, does not end it.
 */
final class BondAgent implements Runnable, BondCore.Driver {
    private static final Logger LOGGER = System.getLogger(BondAgent.class.getName());
    private static final long LINGER_NS = TimeUnit.SECONDS.toNanos(2);

    private final String name;
    private final LongToIntFunction dutyCycle;
    private final ControlActivity talk;
    private final LongSupplier nextDeadline;
    private final BooleanSupplier isSayingGoodbye;
    private final BondCounters counters;
    private final NanoClock clock;
    private final Thread thread;
    private volatile boolean running = true;
    private volatile boolean isFailureLogged;
    private final PauseNews news = new PauseNews();

    /**
     * @param dutyCycle one turn at a time in ns, answers how much it did
     * @param nextDeadline when a turn is due at the latest, by the same clock
     * @param talk      whether an application may wait for what the peer's bond says next
     */
    BondAgent(
            final String name,
            final LongToIntFunction dutyCycle,
            final LongSupplier nextDeadline,
            final ControlActivity talk,
            final BooleanSupplier isSayingGoodbye,
            final BondCounters counters,
            final NanoClock clock) {
        this.name = name;
        this.dutyCycle = dutyCycle;
        this.nextDeadline = nextDeadline;
        this.talk = talk;
        this.isSayingGoodbye = isSayingGoodbye;
        this.counters = counters;
        this.clock = clock;
        thread = Thread.ofPlatform().daemon().name("vhca-" + name).unstarted(this);
    }

    void start() {
        thread.start();
    }

    @Override
    public void wakeUp() {
        LockSupport.unpark(thread);
    }

    /** For what a member tells: several such things within moments may have one turn. */
    @Override
    public void wakeUpSoon() {
        if (news.come()) {
            wakeUp();
        }
    }

    @Override
    public void takeTurn() {
        if (!news.isPaused()) {
            wakeUp();
        } else if (turn(clock.nanoTime()) > 0) {
            news.helped();
            wakeUp();
        }
    }

    @Override
    public void run() {
        final IdlePause pause = new IdlePause();
        while (running) {
            news.seen();
            final long beganNs = clock.nanoTime();
            final boolean isHelped = news.takeHelp();
            if (turn(beganNs) > 0 || isHelped) {
                pause.restart();
                continue;
            }
            final long nowNs = clock.nanoTime();
            if (talk.isOn(nowNs)) {
                Thread.yield();
            } else {
                sleep(untilDue(pause.next(nowNs - beganNs), nowNs));
            }
        }
    }

    /** A long pause ends when a deadline does; one of a millisecond need not. */
    private long untilDue(final long pauseNs, final long nowNs) {
        if (pauseNs <= IdlePause.LONGEST_NS) {
            return pauseNs;
        }
        final long dueNs;
        try {
            dueNs = nextDeadline.getAsLong();
        } catch (final RuntimeException | VirtualMachineError | LinkageError e) {
            failed(e);
            return IdlePause.LONGEST_NS;
        }
        return dueNs == Long.MAX_VALUE ? pauseNs : Math.clamp(dueNs - nowNs, IdlePause.LONGEST_NS, pauseNs);
    }

    private void sleep(final long pauseNs) {
        LockSupport.parkNanos(news.begin(pauseNs));
        news.end();
    }

    private int turn(final long nowNs) {
        try {
            return dutyCycle.applyAsInt(nowNs);
        } catch (final RuntimeException | VirtualMachineError | LinkageError e) {
            // A VirtualMachineError of mapped memory whose file was cut, or has no block for it, and of a heap that is
            // full; a LinkageError of a class whose first use met that heap.
            failed(e);
            return 0;
        }
    }

    private void failed(final Throwable e) {
        try {
            counters.happened(BondCounters.Counter.DUTY_CYCLE_ERRORS, e);
            if (!isFailureLogged) {
                LOGGER.log(Logger.Level.ERROR, name + ": a turn of the bond failed; later ones are only counted", e);
                isFailureLogged = true;
            }
        } catch (final RuntimeException | Error ignored) {
            // Without memory to tell of it the bond goes on as well, and the next turn that fails has another try.
        }
    }

    /** Gives connections that are saying good-bye the time to do so, in the caller's thread: the bond's may be gone. */
    void linger() {
        final long start = clock.nanoTime();
        while (isSayingGoodbye.getAsBoolean() && clock.nanoTime() - start < LINGER_NS) {
            if (turn(clock.nanoTime()) == 0) {
                LockSupport.parkNanos(IdlePause.SHORTEST_NS);
            }
        }
    }

    /** Returns when the thread has ended; a caller that is interrupted waits on, and stays interrupted. */
    void close() {
        running = false;
        wakeUp();
        Uninterrupted.await(thread::join);
    }
}
