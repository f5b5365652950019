package io.vhca.rdp;

import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.api.VerbsException;
import io.vhca.rdp.common.RdpConfig;
import io.vhca.rdp.engine.SendResult;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Who gives a driver its turns: threads of the application, and its own thread where they do not. */
@Timeout(60)
class DriverHelpTest {
    private static final long LONG_NS = TimeUnit.SECONDS.toNanos(30);

    private final Drivers drivers = new Drivers();
    private final RdpDriver left = drivers.open(1);
    private final RdpDriver right = drivers.open(2);

    @AfterEach
    void close() {
        drivers.close();
    }

    @Test
    void aTurnOfTheApplicationIsHelpUntilItSaysThatItWaits() {
        try (RdpDriver driven =
                RdpDriver.driven(drivers.context(3), RdpConfig.DEFAULT, new SplittableRandom(1), 0)) {
            assertThat(driven.turns().takeHelped()).as("nobody was there").isFalse();
            driven.turns().help(1);
            assertThat(driven.turns().takeHelped()).as("a turn").isTrue();
            assertThat(driven.turns().takeHelped()).as("no turn since").isFalse();
            driven.turns().help(2);
            driven.waits();
            assertThat(driven.turns().takeHelped()).as("it waits").isFalse();
            driven.turns().turn(3);
            assertThat(driven.turns().takeHelped()).as("the driver's own turn").isFalse();
        }
    }

    private static void awaitDoze(final RdpDriver driver) {
        while (!driver.turns().isDozing()) {
            Thread.onSpinWait();
        }
    }

    /** The first datagram to a node that dozes, and the connect before it, wake that one. */
    @Test
    void whoDozesIsCalledAndAnswers() {
        final RdpSocket from = left.bind(0);
        final RdpSocket to = right.bind(4_000);
        final ByteBuffer datagram = ByteBuffer.allocateDirect(64);
        awaitDoze(left);
        awaitDoze(right);
        assertThat(from.send(datagram, to.localAddress(), LONG_NS)).isEqualTo(SendResult.SENT);
        assertThat(to.receive(datagram.clear(), LONG_NS)).isEqualTo(from.localAddress());
        awaitDoze(left);
        awaitDoze(right);
        assertThat(to.send(datagram.clear(), from.localAddress(), LONG_NS)).isEqualTo(SendResult.SENT);
        assertThat(from.receive(datagram.clear(), LONG_NS)).isEqualTo(to.localAddress());
    }

    @Test
    void whatComesAfterTheLastTurnOfTheApplicationIsNotForgotten() throws InterruptedException {
        final RdpSocket from = left.bind(0);
        final RdpSocket to = right.bind(4_000);
        final ByteBuffer datagram = ByteBuffer.allocateDirect(64);
        for (int round = 0; round < 50; round++) {
            final CountDownLatch told = new CountDownLatch(1);
            to.watch(told::countDown);
            // It helps, and does not say when it stops.
            right.doWork(System.nanoTime());
            assertThat(from.send(datagram.clear(), to.localAddress(), LONG_NS)).isEqualTo(SendResult.SENT);
            told.await();
            assertThat(to.receive(datagram.clear(), LONG_NS)).isEqualTo(from.localAddress());
            to.watch(null);
        }
    }

    /** What a thread of the same process sends is told of by no completion. */
    @Test
    void whoSleepsOnCompletionsIsWokenByAnotherThread() throws InterruptedException {
        final RdpSocket to = right.bind(4_000);
        final RdpSocket from = right.bind(0);
        final Semaphore received = new Semaphore(0);
        final Thread receiver = Thread.ofPlatform().start(() -> {
            final ByteBuffer datagram = ByteBuffer.allocateDirect(64);
            for (int i = 0; i < 20; i++) {
                assertThat(to.receive(datagram.clear(), Long.MAX_VALUE / 2)).isEqualTo(from.localAddress());
                received.release();
            }
        });
        for (int i = 0; i < 20; i++) {
            awaitSeated();
            assertThat(from.send(ByteBuffer.allocateDirect(64), to.localAddress())).isEqualTo(SendResult.SENT);
            received.acquire();
        }
        receiver.join();
        assertThat(right.turns().isSeated()).isFalse();
    }

    @Test
    void whoSleepsOnCompletionsOfADriverThatIsClosedIsTold() throws InterruptedException {
        final RdpSocket to = right.bind(4_000);
        final CompletableFuture<Throwable> told = new CompletableFuture<>();
        final Thread receiver = Thread.ofPlatform().start(() -> {
            try {
                told.complete(new AssertionError(to.receive(ByteBuffer.allocateDirect(64), Long.MAX_VALUE / 2)));
            } catch (final VerbsException e) {
                told.complete(e);
            }
        });
        awaitSeated();
        right.close();
        receiver.join();
        assertThat(told.join()).hasMessageContaining("it is closed");
        assertThat(right.turns().isSeated()).isFalse();
    }

    @Test
    void whoPollsADriverThatIsClosedIsTold() throws InterruptedException {
        final RdpPoller poller = right.poller();
        poller.add(right.bind(4_000), RdpPoller.READABLE);
        final CompletableFuture<Throwable> told = new CompletableFuture<>();
        final Thread polling = Thread.ofPlatform().daemon().start(() -> {
            try {
                told.complete(new AssertionError(poller.poll(Long.MAX_VALUE / 2)));
            } catch (final VerbsException e) {
                told.complete(e);
            }
        });
        awaitSeated();
        right.close();
        polling.join();
        assertThat(told.join()).hasMessageContaining("(EINVAL): the driver is closed");
        assertThat(right.turns().isSeated()).isFalse();
        poller.close();
    }

    @Test
    void whoWaitsBesideTheSeatIsServedToo() throws InterruptedException {
        final RdpSocket from = left.bind(0);
        final List<RdpSocket> all = List.of(right.bind(4_000), right.bind(4_001), right.bind(4_002));
        final Semaphore received = new Semaphore(0);
        final List<Thread> receivers = new ArrayList<>();
        for (final RdpSocket to : all) {
            receivers.add(Thread.ofPlatform().start(() -> {
                final ByteBuffer datagram = ByteBuffer.allocateDirect(64);
                for (int i = 0; i < 20; i++) {
                    assertThat(to.receive(datagram.clear(), Long.MAX_VALUE / 2)).isEqualTo(from.localAddress());
                    received.release();
                }
            }));
        }
        for (int i = 0; i < 20; i++) {
            for (final RdpSocket to : all) {
                assertThat(from.send(ByteBuffer.allocateDirect(64), to.localAddress(), LONG_NS))
                        .isEqualTo(SendResult.SENT);
                received.acquire();
            }
        }
        for (final Thread receiver : receivers) {
            receiver.join();
        }
    }

    /** Each of them is the one that waits, for the socket, when the other has the seat. */
    @Test
    void whoWaitsBesideAnotherForOneSocketGivesTheSeatBack() throws InterruptedException {
        final RdpSocket to = right.bind(4_000);
        final RdpSocket from = left.bind(0);
        final Runnable receive = () -> to.receive(ByteBuffer.allocateDirect(64), Long.MAX_VALUE / 2);
        // Which of the two the socket knows when the one with the seat goes is chance.
        for (int round = 0; round < 50; round++) {
            final Thread first = Thread.ofPlatform().start(receive);
            awaitSeated();
            final Thread second = Thread.ofPlatform().start(receive);
            while (!isParked(second)) {
                Thread.onSpinWait();
            }
            for (int i = 0; i < 2; i++) {
                assertThat(from.send(ByteBuffer.allocateDirect(64), to.localAddress(), LONG_NS))
                        .isEqualTo(SendResult.SENT);
            }
            first.join();
            second.join();
            assertThat(right.turns().isSeated()).as("round %d, nobody waits", round).isFalse();
        }
    }

    /** It sleeps beside the seat, for a moment at least. */
    private static boolean isParked(final Thread thread) {
        return thread.getState() == Thread.State.TIMED_WAITING
                && LockSupport.getBlocker(thread) instanceof CompletionSeat;
    }

    private void awaitSeated() {
        while (!right.turns().isSeated()) {
            Thread.onSpinWait();
        }
    }
}
