package io.vhca.harness.bond;

import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.bond.BondContext;
import io.vhca.rdp.RdpDriver;
import io.vhca.rdp.RdpSocket;
import io.vhca.rdp.common.RdpCounters.Counter;
import io.vhca.rdp.engine.SendResult;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Reliable datagram sockets over bonds of soft devices, which are called by addresses that their drivers do not call
 * themselves: nothing is lost, and no path fails.
 */
@Timeout(120)
class DatagramSocketNamesTest {
    private static final int PORT = 4_000;
    private static final int COUNT = 100;
    private static final long LONG_NS = TimeUnit.SECONDS.toNanos(60);
    private static final long LOOK_NS = TimeUnit.MILLISECONDS.toNanos(10);
    private static final Executor THREADS = task -> Thread.ofPlatform().daemon().start(task);

    private final BondContext leftBond =
            SoftBonds.open("rdpe", SoftBonds.soft("rdpe0", 195), SoftBonds.soft("rdpe1", 196));
    private final BondContext rightBond =
            SoftBonds.open("rdpf", SoftBonds.soft("rdpf0", 197), SoftBonds.soft("rdpf1", 198));
    private final InetSocketAddress leftSecond = new InetSocketAddress(SoftBonds.own(196), PORT);
    private final InetSocketAddress rightSecond = new InetSocketAddress(SoftBonds.own(198), PORT);
    private RdpDriver left = RdpDriver.open(leftBond);
    private RdpDriver right = RdpDriver.open(rightBond);

    @AfterEach
    void close() {
        closeDrivers();
        leftBond.close();
        rightBond.close();
    }

    private void closeDrivers() {
        left.close();
        right.close();
    }

    private static ByteBuffer numbered(final int number) {
        return ByteBuffer.allocateDirect(100).putInt(0, number);
    }

    private static SendResult send(final RdpSocket from, final int number, final InetSocketAddress to) {
        return from.send(numbered(number), to, LONG_NS);
    }

    private static void assertArrived(final RdpSocket to, final int number, final InetSocketAddress from) {
        final ByteBuffer target = ByteBuffer.allocateDirect(100);
        assertThat(to.receive(target, LONG_NS)).isEqualTo(from);
        assertThat(target.getInt(0)).isEqualTo(number);
    }

    private static void assertNothingFailed(final RdpDriver driver) {
        assertThat(driver.counters().get(Counter.PATHS_FAILED)).isZero();
        assertThat(driver.counters().get(Counter.TX_LOST)).isZero();
        assertThat(driver.counters().get(Counter.FOREIGN)).isZero();
        assertThat(driver.missingBuffers()).isZero();
    }

    private void assertOneNode() {
        assertNothingFailed(left);
        assertNothingFailed(right);
        assertThat(left.status().nodes()).hasSize(1);
        assertThat(right.status().nodes()).hasSize(1);
    }

    /** Sends as fast as it may until it is told to stop, or a send fails; what that was. */
    private static CompletableFuture<SendResult> stream(
            final RdpSocket from, final InetSocketAddress to, final AtomicBoolean isOver) {
        return CompletableFuture.supplyAsync(() -> {
            SendResult result = SendResult.SENT;
            while (result == SendResult.SENT && !isOver.get()) {
                result = send(from, 0, to);
            }
            return result;
        }, THREADS);
    }

    private static CompletableFuture<Void> drain(final RdpSocket socket, final CompletableFuture<?> until) {
        final ByteBuffer target = ByteBuffer.allocateDirect(100);
        return CompletableFuture.runAsync(() -> {
            while (!until.isDone()) {
                socket.receive(target.clear(), LOOK_NS);
            }
        }, THREADS);
    }

    @Test
    void whoIsConnectedIsReachedByItsOtherAddressToo() {
        final RdpSocket from = left.bind(0);
        final RdpSocket to = right.bind(PORT);
        for (int number = 0; number < 2 * COUNT; number++) {
            final boolean isSecond = number > COUNT && number % 2 == 0;
            assertThat(send(from, number, isSecond ? rightSecond : to.localAddress())).isEqualTo(SendResult.SENT);
        }
        for (int number = 0; number < 2 * COUNT; number++) {
            assertArrived(to, number, from.localAddress());
        }
        assertOneNode();
        assertThat(left.counters().get(Counter.SESSIONS_OPENED)).isEqualTo(1);
        assertThat(right.counters().get(Counter.SESSIONS_OPENED)).isEqualTo(1);
    }

    @Test
    void whatIsOnItsWayIsNotLostToACallByAnotherAddress() {
        final RdpSocket busy = left.bind(0);
        final RdpSocket busyTo = right.bind(PORT + 1);
        final RdpSocket from = left.bind(0);
        final RdpSocket to = right.bind(PORT);
        final AtomicBoolean isOver = new AtomicBoolean();
        assertThat(send(busy, 0, busyTo.localAddress())).isEqualTo(SendResult.SENT);
        final CompletableFuture<SendResult> stream = stream(busy, busyTo.localAddress(), isOver);
        final CompletableFuture<Void> drained = drain(busyTo, stream);
        assertThat(send(from, 1, rightSecond)).isEqualTo(SendResult.SENT);
        assertArrived(to, 1, from.localAddress());
        isOver.set(true);
        assertThat(stream.join()).isEqualTo(SendResult.SENT);
        drained.join();
        assertOneNode();
        assertThat(right.counters().get(Counter.SESSIONS_OPENED)).isEqualTo(1);
    }

    /** The one that calls second has never spoken to the other, which came by a name that is no destination of his. */
    @Test
    void whatIsOnItsWayIsNotLostToACallOfTheOtherEndByAnotherAddress() {
        final RdpSocket busy = left.bind(0);
        final RdpSocket busyTo = right.bind(PORT + 1);
        final RdpSocket to = left.bind(PORT);
        final RdpSocket from = right.bind(0);
        final AtomicBoolean isOver = new AtomicBoolean();
        final InetSocketAddress second = new InetSocketAddress(rightSecond.getAddress(), PORT + 1);
        assertThat(send(busy, 0, second)).isEqualTo(SendResult.SENT);
        final long sessions = left.counters().get(Counter.SESSIONS_OPENED);
        final CompletableFuture<SendResult> stream = stream(busy, second, isOver);
        final CompletableFuture<Void> drained = drain(busyTo, stream);
        assertThat(send(from, 1, leftSecond)).isEqualTo(SendResult.SENT);
        assertArrived(to, 1, from.localAddress());
        isOver.set(true);
        assertThat(stream.join()).isEqualTo(SendResult.SENT);
        drained.join();
        assertOneNode();
        assertThat(left.counters().get(Counter.SESSIONS_OPENED)).isEqualTo(sessions);
    }

    @Test
    void twoSocketsCallOneNodeByBothItsAddressesAtOnce() {
        for (int round = 0; round < 10; round++) {
            final RdpSocket one = left.bind(0);
            final RdpSocket other = left.bind(0);
            final RdpSocket to = right.bind(PORT);
            final boolean isSecondFirst = round % 2 == 0;
            assertThat(one.send(numbered(1), isSecondFirst ? rightSecond : to.localAddress()))
                    .isEqualTo(SendResult.WOULD_BLOCK);
            assertThat(other.send(numbered(2), isSecondFirst ? to.localAddress() : rightSecond))
                    .isEqualTo(SendResult.WOULD_BLOCK);
            assertThat(send(one, 1, isSecondFirst ? rightSecond : to.localAddress())).isEqualTo(SendResult.SENT);
            assertArrived(to, 1, one.localAddress());
            assertThat(send(other, 2, isSecondFirst ? to.localAddress() : rightSecond)).isEqualTo(SendResult.SENT);
            assertArrived(to, 2, other.localAddress());
            assertOneNode();
            closeDrivers();
            left = RdpDriver.open(leftBond);
            right = RdpDriver.open(rightBond);
        }
    }

    @Test
    void bothEndsCallEachOtherByTheirOtherAddresses() {
        for (int round = 0; round < 10; round++) {
            final RdpSocket one = left.bind(PORT);
            final RdpSocket other = right.bind(PORT);
            final CompletableFuture<SendResult> sent =
                    CompletableFuture.supplyAsync(() -> send(one, 1, rightSecond), THREADS);
            assertThat(send(other, 2, leftSecond)).isEqualTo(SendResult.SENT);
            assertThat(sent.join()).isEqualTo(SendResult.SENT);
            assertArrived(one, 2, other.localAddress());
            assertArrived(other, 1, one.localAddress());
            assertOneNode();
            closeDrivers();
            left = RdpDriver.open(leftBond);
            right = RdpDriver.open(rightBond);
        }
    }

    @Test
    void aSocketOfTheSameNodeIsReachedByItsOtherAddress() {
        final RdpSocket from = left.bind(0);
        final RdpSocket to = left.bind(PORT);
        for (int number = 0; number < COUNT; number++) {
            assertThat(send(from, number, number % 2 == 0 ? leftSecond : to.localAddress()))
                    .isEqualTo(SendResult.SENT);
        }
        for (int number = 0; number < COUNT; number++) {
            assertArrived(to, number, from.localAddress());
        }
        assertThat(from.nameOf(leftSecond)).isEqualTo(to.localAddress());
        assertNothingFailed(left);
        assertThat(left.status().nodes()).isEmpty();
    }
}
