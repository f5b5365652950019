package io.vhca.bond;

import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.bond.control.ControlActivity;
import io.vhca.bond.core.BondCounters;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongToIntFunction;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.agrona.concurrent.SystemNanoClock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class BondAgentTest {
    /** A defect, and what touching mapped memory throws whose file system is full. */
    private static List<Runnable> ends() {
        return List.of(
                () -> {
                    throw new IllegalStateException("planted");
                },
                () -> {
                    throw new InternalError("planted");
                },
                () -> {
                    throw new OutOfMemoryError("planted");
                },
                () -> {
                    throw new NoClassDefFoundError("planted");
                });
    }

    /** One that nothing is due of, by the clock of the machine. */
    private static BondAgent agent(final LongToIntFunction dutyCycle) {
        return new BondAgent(
                "bond0",
                dutyCycle,
                () -> Long.MAX_VALUE,
                new ControlActivity(),
                () -> false,
                new BondCounters(),
                SystemNanoClock.INSTANCE);
    }

    @ParameterizedTest
    @MethodSource("ends")
    void aTurnThatThrowsIsCountedAndTheNextOnesGoOn(final Runnable end) throws InterruptedException {
        final BondCounters counters = new BondCounters();
        final AtomicInteger turns = new AtomicInteger();
        final CountDownLatch later = new CountDownLatch(1);
        final BondAgent agent = new BondAgent(
                "bond0",
                nowNs -> {
                    if (turns.incrementAndGet() <= 3) {
                        end.run();
                    }
                    later.countDown();
                    return 0;
                },
                () -> Long.MAX_VALUE,
                new ControlActivity(),
                () -> false,
                counters,
                SystemNanoClock.INSTANCE);
        agent.start();
        assertThat(later.await(30, TimeUnit.SECONDS)).isTrue();
        agent.close();
        assertThat(counters.get(BondCounters.Counter.DUTY_CYCLE_ERRORS)).isEqualTo(3);
    }

    /** Where the heap is full there is no room for the line of the log that says so, and none to look for deadlines. */
    @Test
    @Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void aFullHeapDoesNotEndTheThread() throws InterruptedException {
        final AtomicLong nowNs = new AtomicLong();
        final AtomicInteger turns = new AtomicInteger();
        final AtomicInteger looks = new AtomicInteger();
        final CountDownLatch later = new CountDownLatch(1);
        final AtomicInteger lines = new AtomicInteger();
        final BondCounters counters = new BondCounters();
        final BondAgent agent = new BondAgent(
                "bond0",
                beganNs -> {
                    nowNs.addAndGet(TimeUnit.SECONDS.toNanos(1)); // so that a long pause follows
                    if (turns.incrementAndGet() <= 2) {
                        throw new OutOfMemoryError("planted");
                    }
                    if (looks.get() > 3) {
                        later.countDown();
                    }
                    return 0;
                },
                () -> {
                    if (looks.incrementAndGet() == 3) {
                        throw new OutOfMemoryError("planted");
                    }
                    return nowNs.get() - 1;
                },
                new ControlActivity(),
                () -> false,
                counters,
                nowNs::get);
        final Logger logger = Logger.getLogger(BondAgent.class.getName());
        final Handler full = new FullHandler(lines);
        logger.addHandler(full);
        try {
            agent.start();
            assertThat(later.await(30, TimeUnit.SECONDS)).isTrue();
        } finally {
            logger.removeHandler(full);
            agent.close();
        }
        assertThat(counters.get(BondCounters.Counter.DUTY_CYCLE_ERRORS)).isEqualTo(3);
        assertThat(lines).as("tried again, and then no more").hasValue(2);
    }

    /** The log of a process whose heap is full, but for its second line. */
    private static final class FullHandler extends Handler {
        private final AtomicInteger lines;

        FullHandler(final AtomicInteger lines) {
            this.lines = lines;
        }

        @Override
        public void publish(final LogRecord line) {
            if (lines.incrementAndGet() == 1) {
                throw new OutOfMemoryError("planted");
            }
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
    }

    /** What the thread uses is freed after that. */
    @Test
    @Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void itsThreadHasEndedWhereWhoClosesIsInterrupted() {
        final CompletableFuture<Thread> inTurn = new CompletableFuture<>();
        final AtomicBoolean isClosing = new AtomicBoolean();
        final Thread closer = Thread.currentThread();
        final BondAgent agent = agent(
                nowNs -> {
                    inTurn.complete(Thread.currentThread());
                    while (!isClosing.get()
                            || closer.isInterrupted()
                            || closer.getState() == Thread.State.RUNNABLE) {
                        Thread.onSpinWait(); // until it waits for this thread
                    }
                    return 0;
                });
        agent.start();
        final Thread own = inTurn.join();
        closer.interrupt();
        isClosing.set(true);
        agent.close();
        assertThat(own.isAlive()).isFalse();
        assertThat(Thread.interrupted()).isTrue();
    }

    /** Who hears of what the bond waits for does not wake its thread to have it done. */
    @Test
    @Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void whileTheThreadSleepsWhoHearsOfSomethingHasTheTurnHimself() {
        final Set<Thread> turning = ConcurrentHashMap.newKeySet();
        final BondAgent agent = agent(
                nowNs -> {
                    turning.add(Thread.currentThread());
                    return 0;
                });
        agent.takeTurn();
        assertThat(turning).as("nobody sleeps yet").isEmpty();
        agent.start();
        while (!turning.contains(Thread.currentThread())) {
            agent.takeTurn();
        }
        agent.close();
        assertThat(turning).hasSize(2);
    }

    /** A turn that takes long is followed by a long pause; what is due has its turn in it all the same. */
    @Test
    @Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void aLongPauseEndsWhenSomethingIsDue() throws InterruptedException {
        final AtomicLong nowNs = new AtomicLong();
        final AtomicInteger asked = new AtomicInteger();
        final CountDownLatch many = new CountDownLatch(100);
        final BondAgent agent = new BondAgent(
                "bond0",
                beganNs -> {
                    nowNs.addAndGet(TimeUnit.SECONDS.toNanos(1));
                    many.countDown();
                    return 0;
                },
                () -> {
                    asked.incrementAndGet();
                    return nowNs.get() - 1;
                },
                new ControlActivity(),
                () -> false,
                new BondCounters(),
                nowNs::get);
        agent.start();
        many.await();
        agent.close();
        assertThat(asked.get()).as("before each long pause").isGreaterThan(50);
    }

    /** At the end of a process the bond's own thread may be gone before the good-byes are said. */
    @Test
    void whoLingersDrivesTheBondItself() {
        final AtomicInteger turns = new AtomicInteger();
        final AtomicInteger looks = new AtomicInteger();
        final BondAgent agent = new BondAgent(
                "bond0",
                nowNs -> turns.incrementAndGet() % 2,
                () -> Long.MAX_VALUE,
                new ControlActivity(),
                () -> turns.get() < 5,
                new BondCounters(),
                () -> TimeUnit.MILLISECONDS.toNanos(looks.getAndIncrement()));
        agent.linger();
        assertThat(turns).hasValue(5);
    }

    @Test
    void whoLingersForAPeerThatNeverAnswersIsDoneAfterAWhile() {
        final AtomicInteger looks = new AtomicInteger();
        final AtomicInteger turns = new AtomicInteger();
        final BondAgent agent = new BondAgent(
                "bond0",
                nowNs -> turns.incrementAndGet(),
                () -> Long.MAX_VALUE,
                new ControlActivity(),
                () -> true,
                new BondCounters(),
                () -> TimeUnit.MILLISECONDS.toNanos(looks.getAndIncrement()));
        agent.linger();
        assertThat(turns.get()).isBetween(1, 2_000);
    }
}
