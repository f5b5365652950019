package io.vhca.rdp.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vhca.api.NativeMemory;
import io.vhca.api.VerbsException;
import io.vhca.rdp.common.RdpConfig;
import io.vhca.rdp.common.RdpCounters.Counter;
import io.vhca.rdp.common.SessionEnd;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The contract of reliable datagrams, over connections in memory whose order among each other is drawn. */
class RdpEngineTest {
    /** Small, so that credits and marks are met often. */
    private static final RdpConfig SMALL = new RdpConfig(
            List.of(256, 1_024, 4_096), 8, 4, 64, 32 << 10, 16 << 10, 75, 25, 64L << 20,
            TimeUnit.SECONDS.toNanos(1), TimeUnit.SECONDS.toNanos(5), TimeUnit.SECONDS.toNanos(2),
            TimeUnit.SECONDS.toNanos(4), 18_634, 8, 300, 1 << 20);

    /** The same with hardly any send buffers. */
    private static final RdpConfig FEW = new RdpConfig(
            SMALL.sizeClasses(), 8, 4, 4, 32 << 10, 16 << 10, 75, 25, 64L << 20, TimeUnit.SECONDS.toNanos(1),
            TimeUnit.SECONDS.toNanos(5), TimeUnit.SECONDS.toNanos(2), TimeUnit.SECONDS.toNanos(4), 18_634, 8, 300,
            1 << 20);

    private EnginePair pair = new EnginePair(1, SMALL);

    @AfterEach
    void close() {
        pair.close();
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void keepsTheOrderAcrossSizeClassesExactlyOnce(final long seed) {
        pair.close();
        pair = new EnginePair(seed, SMALL);
        final SplittableRandom random = new SplittableRandom(seed);
        final Port from = pair.left.bind(1);
        final Port to = pair.right.bind(2);
        final OutFlow flow = pair.left.flow(from, 2);
        int sent = 0;
        int received = 0;
        for (int step = 0; received < 3_000 && step < 1_000_000; step++) {
            final int length = switch (random.nextInt(4)) {
                case 0 -> 8 + random.nextInt(248);
                case 1 -> 257 + random.nextInt(700);
                case 2 -> 1_025 + random.nextInt(3_000);
                default -> 4_097 + random.nextInt(8_000);
            };
            if (sent < 3_000 && pair.left.send(flow, sent, length) == SendResult.SENT) {
                sent++;
            }
            if (random.nextInt(3) == 0) {
                pair.step();
            }
            for (int number = pair.right.number(to); number >= 0; number = pair.right.number(to)) {
                assertThat(number).isEqualTo(received++);
            }
        }
        assertThat(received).isEqualTo(3_000);
        pair.run(200);
        assertThat(pair.right.receive(to)).isNull();
        assertThat(pair.left.engine.missingBuffers()).isZero();
        assertThat(pair.right.engine.missingBuffers()).isZero();
    }

    @Test
    void tellsWhoSentAndCarriesEmptyDatagrams() {
        final Port from = pair.left.bind(7);
        final Port to = pair.right.bind(8);
        final OutFlow flow = pair.open(pair.left, from, 8);
        assertThat(pair.left.send(flow, 0, 0)).isEqualTo(SendResult.SENT);
        pair.run(50);
        assertThat(pair.right.receive(to)).isEmpty();
        assertThat(pair.right.lastSource()).isEqualTo(new InetSocketAddress(pair.left.address, 7));
    }

    @Test
    void noSuchPortIsUnreachableAndCanComeLater() {
        final Port from = pair.left.bind(1);
        final OutFlow flow = pair.left.flow(from, 2);
        assertThat(pair.left.send(flow, 0, 10)).isEqualTo(SendResult.WOULD_BLOCK);
        pair.run(50);
        assertThat(pair.left.send(flow, 0, 10)).isEqualTo(SendResult.UNREACHABLE);
        assertThat(pair.left.engine.counters().get(Counter.EFAULT_RETURNED)).isEqualTo(1);
        final Port to = pair.right.bind(2);
        pair.nowNs += 200 * EnginePair.MS;
        pair.step();
        final OutFlow again = pair.open(pair.left, from, 2);
        assertThat(pair.left.send(again, 5, 10)).isEqualTo(SendResult.SENT);
        pair.run(50);
        assertThat(pair.right.number(to)).isEqualTo(5);
    }

    @Test
    void aPortThatIsClosedIsUnreachableAndItsSuccessorGetsNothingOfIt() {
        final Port from = pair.left.bind(1);
        final Port to = pair.right.bind(2);
        final OutFlow flow = pair.open(pair.left, from, 2);
        for (int i = 0; i < 5; i++) {
            assertThat(pair.left.send(flow, i, 10)).isEqualTo(SendResult.SENT);
        }
        pair.right.engine.ports().close(to);
        final Port successor = pair.right.bind(2);
        pair.run(100);
        assertThat(pair.right.receive(successor)).isNull();
        assertThat(pair.right.engine.counters().get(Counter.RX_DROPPED)).isEqualTo(5);
        assertThat(pair.left.send(flow, 9, 10)).isEqualTo(SendResult.UNREACHABLE);
        pair.nowNs += 200 * EnginePair.MS;
        pair.step();
        pair.left.send(flow, 9, 10);
        pair.run(50);
        assertThat(pair.left.send(flow, 9, 10)).isEqualTo(SendResult.SENT);
        pair.run(50);
        assertThat(pair.right.number(successor)).isEqualTo(9);
    }

    @Test
    void aSlowReceiverStallsItsSendersAndNobodyElse() {
        final Port from = pair.left.bind(1);
        final Port slow = pair.right.bind(2);
        final Port quick = pair.right.bind(3);
        final OutFlow toSlow = pair.open(pair.left, from, 2);
        final OutFlow toQuick = pair.open(pair.left, from, 3);
        int sent = 0;
        int quickly = 0;
        for (int i = 0; i < 2_000; i++) {
            if (pair.left.send(toSlow, sent, 1_000) == SendResult.SENT) {
                sent++;
            }
            if (pair.left.send(toQuick, quickly, 1_000) == SendResult.SENT) {
                quickly++;
            }
            pair.step();
            pair.right.receive(quick);
        }
        assertThat(slow.isStalled()).isTrue();
        // Its high mark, and what was on its way when the stall was sent.
        assertThat(slow.pendingBytes()).isBetween(24L << 10, (24L << 10) + 9 * 1_064);
        assertThat(quickly).isGreaterThan(5 * sent);
        assertThat(pair.left.engine.counters().get(Counter.STALLS_RECEIVED)).isEqualTo(1);

        int received = 0;
        for (int number = pair.right.number(slow); number >= 0; number = pair.right.number(slow)) {
            assertThat(number).isEqualTo(received++);
        }
        pair.run(50);
        assertThat(received).isEqualTo(sent);
        assertThat(pair.left.send(toSlow, sent, 1_000)).isEqualTo(SendResult.SENT);
        // The first told both of them that they are not stalled, one each; then this release.
        assertThat(pair.left.engine.counters().get(Counter.UNSTALLS_RECEIVED)).isEqualTo(3);
    }

    @Test
    void aSocketThatHasAllItsSendBuffersOnTheWayGetsNoBuffers() {
        final Port from = pair.left.bind(1);
        pair.right.bind(2);
        final OutFlow flow = pair.open(pair.left, from, 2);
        from.sendLimit(2 * (1_000 + Port.OVERHEAD));
        assertThat(pair.left.send(flow, 0, 1_000)).isEqualTo(SendResult.SENT);
        assertThat(pair.left.send(flow, 1, 1_000)).isEqualTo(SendResult.SENT);
        assertThat(pair.left.send(flow, 2, 1_000)).isEqualTo(SendResult.NO_BUFFERS);
        pair.run(20);
        assertThat(pair.left.send(flow, 2, 1_000)).isEqualTo(SendResult.SENT);
    }

    /** What comes back to an empty pool may all be of others: who has nothing on the way hears of it too. */
    @Test
    void whoWasRefusedForWantOfAnybodysBuffersIsToldWhenOneIsFree() {
        pair.close();
        pair = new EnginePair(1, FEW);
        final int[] told = new int[1];
        pair.right.bind(2);
        final OutFlow many = pair.open(pair.left, pair.left.bind(1), 2);
        final OutFlow one = pair.open(pair.left, pair.left.bind(3, () -> told[0]++), 2);
        for (int i = 0; i < FEW.dataSendBuffers(); i++) {
            assertThat(pair.left.send(many, i, 1_000)).isEqualTo(SendResult.SENT);
        }
        assertThat(pair.left.send(one, 0, 1_000)).isEqualTo(SendResult.NO_BUFFERS);
        assertThat(pair.left.send(one, 0, 1_000)).isEqualTo(SendResult.NO_BUFFERS);
        told[0] = 0;
        pair.run(20);
        assertThat(told[0]).as("told once, and not again").isEqualTo(1);
        assertThat(pair.left.send(one, 0, 1_000)).isEqualTo(SendResult.SENT);
    }

    @Test
    void tooLongIsRefusedByItsLength() {
        final Port from = pair.left.bind(1);
        final OutFlow flow = pair.left.flow(from, 2);
        assertThat(SMALL.longestMessage()).isEqualTo(16 << 10);
        assertThat(pair.left.send(flow, 0, (16 << 10) + 1)).isEqualTo(SendResult.TOO_LONG);
        assertThat(pair.left.send(flow, 0, 16 << 10)).isEqualTo(SendResult.WOULD_BLOCK);
        from.sendLimit(1_000);
        assertThat(pair.left.send(flow, 0, 1_000)).isEqualTo(SendResult.TOO_LONG);
    }

    @Test
    void whatWasLostWithItsPathIsReportedForMinRecovery() {
        final Port from = pair.left.bind(1);
        final Port to = pair.right.bind(2);
        final OutFlow flow = pair.open(pair.left, from, 2);
        assertThat(pair.left.send(flow, 1, 10)).isEqualTo(SendResult.SENT);
        pair.isCut = true;
        pair.left.engine.nodes().onDown(pair.left.peer());
        pair.step();
        final long lostAtNs = pair.nowNs;
        assertThat(pair.left.engine.counters().get(Counter.TX_LOST)).isEqualTo(1);
        pair.isCut = false;
        while (pair.nowNs - lostAtNs < SMALL.minRecoveryNs() - 200_000) {
            assertThat(pair.left.send(flow, 2, 10)).isEqualTo(SendResult.UNREACHABLE);
            pair.nowNs += 100_000;
            pair.step();
        }
        pair.nowNs += EnginePair.MS;
        pair.step();
        final OutFlow again = pair.open(pair.left, from, 2);
        assertThat(pair.left.send(again, 3, 10)).isEqualTo(SendResult.SENT);
        pair.run(50);
        assertThat(pair.right.number(to)).isEqualTo(3);
        assertThat(pair.right.receive(to)).isNull();
    }

    @Test
    void aPathThatEndsWithNothingOnItIsNoFailure() {
        final Port from = pair.left.bind(1);
        pair.right.bind(2);
        final OutFlow flow = pair.open(pair.left, from, 2);
        assertThat(pair.left.send(flow, 1, 10)).isEqualTo(SendResult.SENT);
        pair.run(100);
        pair.left.engine.nodes().onDown(pair.left.peer());
        pair.step();
        assertThat(pair.left.send(flow, 2, 10)).isEqualTo(SendResult.WOULD_BLOCK);
        assertThat(pair.left.engine.counters().get(Counter.PATHS_FAILED)).isZero();
        assertThat(pair.left.peer().lastEnd()).isEqualTo(SessionEnd.DISCONNECTED);
    }

    @Test
    void aNodeThatFallsSilentIsDeadAndNobodyWaitsForItsStall() {
        final Port from = pair.left.bind(1);
        final Port to = pair.right.bind(2);
        final OutFlow flow = pair.open(pair.left, from, 2);
        for (int i = 0; !to.isStalled(); i++) {
            pair.left.send(flow, i, 1_000);
            pair.step();
        }
        pair.run(50);
        assertThat(pair.left.send(flow, 0, 1_000)).isEqualTo(SendResult.WOULD_BLOCK);
        pair.isCut = true;
        final long sinceNs = pair.nowNs;
        while (pair.left.engine.counters().get(Counter.NODES_DEAD) == 0) {
            pair.nowNs += 50 * EnginePair.MS;
            pair.left.engine.doWork(pair.nowNs);
            assertThat(pair.nowNs - sinceNs).isLessThan(2 * SMALL.nodeTimeoutNs());
        }
        assertThat(pair.left.peer().lastEnd()).isEqualTo(SessionEnd.SILENT);
        pair.nowNs += SMALL.minRecoveryNs();
        pair.isCut = false;
        pair.step();
        while (pair.right.receive(to) != null) {
            // The reader is back.
        }
        final OutFlow again = pair.open(pair.left, from, 2);
        assertThat(pair.left.send(again, 0, 1_000)).isEqualTo(SendResult.SENT);
    }

    @Test
    void whatATurnBringsHappensInThatTurn() {
        final Port from = pair.left.bind(1);
        pair.right.bind(2);
        final OutFlow flow = pair.open(pair.left, from, 2);
        assertThat(pair.left.send(flow, 0, 1_000)).isEqualTo(SendResult.SENT);
        // The thread of the right one had no processor for longer than a node may be silent.
        pair.nowNs += SMALL.nodeTimeoutNs();
        pair.right.engine.begin(pair.nowNs);
        while (pair.left.deliver()) {
            // All that came meanwhile.
        }
        pair.right.engine.doWork(pair.nowNs);
        assertThat(pair.right.engine.counters().get(Counter.NODES_DEAD)).isZero();
    }

    @Test
    void aPathThatIsReplacedAfterASleepFailsForAllOfMinRecovery() {
        final Port from = pair.left.bind(1);
        pair.right.bind(2);
        final OutFlow flow = pair.open(pair.left, from, 2);
        assertThat(pair.left.send(flow, 0, 1_000)).isEqualTo(SendResult.SENT);
        pair.nowNs += SMALL.minRecoveryNs();
        pair.left.engine.begin(pair.nowNs);
        pair.left.engine.nodes().onReplaced(pair.left.peer());
        pair.nowNs += SMALL.minRecoveryNs() - 1;
        pair.left.engine.doWork(pair.nowNs);
        assertThat(pair.left.send(flow, 1, 1_000)).isEqualTo(SendResult.UNREACHABLE);
        assertThat(pair.left.peer().lastEnd()).isEqualTo(SessionEnd.REPLACED);
    }

    @Test
    void heartbeatsKeepAnIdleNodeAlive() {
        final Port from = pair.left.bind(1);
        pair.right.bind(2);
        pair.open(pair.left, from, 2);
        for (int i = 0; i < 400; i++) {
            pair.nowNs += 100 * EnginePair.MS;
            pair.run(3);
        }
        assertThat(pair.left.peer().state()).isEqualTo(PeerState.UP);
        assertThat(pair.left.engine.counters().get(Counter.SESSIONS_OPENED)).isEqualTo(1);
    }

    @ParameterizedTest
    @CsvSource({"1, 0.9", "8, 0.8"})
    void equalSendersAreServedEqually(final int triesOfTheFirst, final double atLeast) {
        final List<OutFlow> flows = new ArrayList<>();
        final Port to = pair.right.bind(500);
        to.receiveLimit(1 << 30);
        for (int i = 0; i < 20; i++) {
            flows.add(pair.open(pair.left, pair.left.bind(100 + i), 500));
        }
        final int[] served = new int[20];
        for (int step = 0; step < 20_000; step++) {
            // Another one begins each time, and one of them may ask more often.
            for (int turn = 0; turn < 20; turn++) {
                final int i = (turn + step * 7) % 20;
                for (int tries = i == 0 ? triesOfTheFirst : 1; tries > 0; tries--) {
                    served[i] += pair.left.send(flows.get(i), 0, 100) == SendResult.SENT ? 1 : 0;
                }
            }
            pair.step();
            while (pair.right.receive(to) != null) {
                // Quick.
            }
        }
        int least = Integer.MAX_VALUE;
        int most = 0;
        for (final int count : served) {
            least = Math.min(least, count);
            most = Math.max(most, count);
        }
        assertThat((double) least / most).as("%s", java.util.Arrays.toString(served)).isGreaterThan(atLeast);
    }

    @Test
    void aForeignMessageIsCountedAndEndsTheSession() {
        final Port from = pair.left.bind(1);
        pair.right.bind(2);
        pair.open(pair.left, from, 2);
        pair.right.engine.arrivals().onReceived(pair.right.peer(), 1, pair.right.takeReceive(1), 20);
        assertThat(pair.right.engine.counters().get(Counter.FOREIGN)).isEqualTo(1);
        pair.step();
        assertThat(pair.right.peer().state()).isEqualTo(PeerState.IDLE);
        assertThat(pair.right.engine.missingBuffers()).isZero();
    }

    @Test
    void socketsOfOneNodeReachEachOther() {
        final Port from = pair.left.bind(1);
        final OutFlow nowhere =
                pair.left.engine.ports().flow(from, new InetSocketAddress(pair.left.address, 2));
        assertThat(pair.left.send(nowhere, 1, 10)).isEqualTo(SendResult.UNREACHABLE);
        final Port to = pair.left.bind(2);
        for (int i = 0; i < 5; i++) {
            assertThat(pair.left.send(nowhere, i, 9_000)).isEqualTo(i < 3 ? SendResult.SENT : SendResult.WOULD_BLOCK);
        }
        for (int i = 0; i < 3; i++) {
            assertThat(pair.left.receive(to)).hasSize(9_000);
        }
        assertThat(pair.left.lastSource()).isEqualTo(new InetSocketAddress(pair.left.address, 1));
        assertThat(pair.left.send(nowhere, 3, 9_000)).isEqualTo(SendResult.SENT);
        pair.left.receive(to);
        assertThat(pair.left.engine.missingBuffers()).isZero();
    }

    @Test
    void aBorrowedDatagramIsTheSocketsShareUntilItIsReleased() {
        final Port from = pair.left.bind(1);
        final Port to = pair.right.bind(2);
        final OutFlow flow = pair.open(pair.left, from, 2);
        final List<BorrowedDatagram> borrowed = new ArrayList<>();
        for (int number = 0; !to.isStalled(); pair.step()) {
            if (pair.left.send(flow, number, 9_000) == SendResult.SENT) {
                number++;
            }
            final BorrowedDatagram one = new BorrowedDatagram();
            if (pair.right.engine.ports().borrow(to, one)) {
                borrowed.add(one);
            }
        }
        for (int number = 0; number < borrowed.size(); number++) {
            final BorrowedDatagram one = borrowed.get(number);
            assertThat(one.lengthBytes()).isEqualTo(9_000);
            assertThat(one.segments()).isEqualTo(3);
            assertThat(one.lengthBytes(2)).isEqualTo(9_000 - 2 * 4_096);
            assertThat(NativeMemory.getInt(one.address(0))).isEqualTo(number);
            assertThat(NativeMemory.getInt(one.address(2) + one.lengthBytes(2) - Integer.BYTES)).isEqualTo(number);
            assertThat(one.source()).isEqualTo(new InetSocketAddress(pair.left.address, 1));
        }
        assertThat(borrowed).hasSizeGreaterThan(1);
        assertThat(pair.right.engine.missingBuffers()).isZero();
        borrowed.forEach(pair.right.engine.ports()::release);
        borrowed.forEach(pair.right.engine.ports()::release);
        while (pair.right.receive(to) != null) {
            // What came after.
        }
        assertThat(to.isStalled()).isFalse();
        assertThat(to.pendingBytes()).isZero();
        assertThat(pair.right.engine.missingBuffers()).isZero();
    }

    @Test
    void aDatagramIsBorrowedOnceAndOutlivesItsSocket() {
        final Port from = pair.left.bind(1);
        final Port to = pair.right.bind(2);
        final OutFlow flow = pair.open(pair.left, from, 2);
        final BorrowedDatagram one = new BorrowedDatagram();
        assertThat(pair.right.engine.ports().borrow(to, one)).isFalse();
        assertThatThrownBy(one::lengthBytes)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("no datagram is borrowed");
        pair.left.send(flow, 5, 100);
        pair.left.send(flow, 6, 100);
        pair.run(50);
        assertThat(pair.right.engine.ports().borrow(to, one)).isTrue();
        assertThatThrownBy(() -> pair.right.engine.ports().borrow(to, one))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("it holds a datagram already");
        assertThatThrownBy(() -> one.address(1)).isInstanceOf(IndexOutOfBoundsException.class);
        pair.right.engine.ports().close(to);
        pair.run(50);
        assertThat(NativeMemory.getInt(one.address(0))).isEqualTo(5);
        pair.right.engine.ports().release(one);
        assertThat(pair.right.engine.missingBuffers()).isZero();
    }

    @Test
    void withoutReceiveMemoryTheSenderWaitsAndNoSendMeetsAnEmptyQueue() {
        pair.close();
        // One chunk of each class: what is posted at first, and little more.
        pair = new EnginePair(1, new RdpConfig(
                SMALL.sizeClasses(), 8, 4, 64, 64 << 20, 16 << 10, 75, 25, 200_000, SMALL.heartbeatNs(),
                SMALL.nodeTimeoutNs(), SMALL.minRecoveryNs(), SMALL.connectTimeoutNs(), 18_634, 8, 0, 0));
        final Port from = pair.left.bind(1);
        final Port to = pair.right.bind(2);
        final OutFlow flow = pair.open(pair.left, from, 2);
        int sent = 0;
        for (int i = 0; i < 2_000; i++) {
            sent += pair.left.send(flow, sent, 1_000) == SendResult.SENT ? 1 : 0;
            pair.step();
        }
        assertThat(pair.right.engine.counters().get(Counter.RECEIVES_WITHHELD)).isPositive();
        assertThat(sent).isLessThan(100);
        assertThat(pair.left.send(flow, sent, 1_000)).isEqualTo(SendResult.WOULD_BLOCK);
        int received = 0;
        for (int i = 0; i < 4_000 && received < 500; i++) {
            sent += pair.left.send(flow, sent, 1_000) == SendResult.SENT ? 1 : 0;
            pair.step();
            for (int number = pair.right.number(to); number >= 0; number = pair.right.number(to)) {
                assertThat(number).isEqualTo(received++);
            }
        }
        assertThat(received).isGreaterThanOrEqualTo(500);
    }

    @Test
    void bothEndsMayHaveMuchToSayAtOnce() {
        final List<OutFlow> flows = new ArrayList<>();
        // Both have used up their credits before either hears of the other.
        for (int port = 1; port <= 400; port++) {
            for (final EnginePair.Node node : List.of(pair.left, pair.right)) {
                final OutFlow flow = node.flow(node.bind(port), port);
                node.send(flow, 0, 0);
                flows.add(flow);
            }
        }
        pair.run(2_000);
        assertThat(flows).allMatch(OutFlow::isOpen);
    }

    @Test
    void whatCameTooEarlyIsGivenBackWhenItsPathIsLost() {
        final Port from = pair.left.bind(1);
        pair.right.bind(2);
        final OutFlow flow = pair.left.flow(from, 2);
        int lost = 0;
        for (int round = 0; round < 40; round++) {
            for (int tries = 0; tries < 1_000 && !flow.isOpen(); tries++) {
                pair.left.send(flow, 0, 0);
                pair.step();
            }
            for (int i = 0; i < 6; i++) {
                pair.left.send(flow, i, i % 2 == 0 ? 4_000 : 100);
            }
            pair.step();
            pair.left.engine.nodes().onDown(pair.left.peer());
            pair.step();
            lost += pair.left.engine.counters().get(Counter.TX_LOST) > 0 ? 1 : 0;
            assertThat(pair.right.engine.missingBuffers()).as("round %d", round).isZero();
            assertThat(pair.left.engine.missingBuffers()).isZero();
            pair.nowNs += SMALL.minRecoveryNs();
        }
        assertThat(lost).isPositive();
    }

    @Test
    void badPortsAreNamed() {
        pair.left.bind(5);
        assertThatThrownBy(() -> pair.left.bind(5))
                .isInstanceOf(VerbsException.class)
                .hasMessageContaining("10.0.0.1 port 5 failed (EADDRINUSE)");
        assertThatThrownBy(() -> pair.left.bind(70_000))
                .isInstanceOf(VerbsException.class)
                .hasMessageContaining("EINVAL")
                .hasMessageContaining("0 .. 65535");
        assertThat(pair.left.bind(0).number()).isNotEqualTo(pair.left.bind(0).number());
        for (int i = 0; i < 8; i++) {
            final Nodes nodes = pair.left.engine.nodes();
            nodes.onConnecting(nodes.peer(InetAddress.ofLiteral("10.1.0." + i)));
        }
        assertThatThrownBy(() -> pair.left.engine.nodes().peer(InetAddress.ofLiteral("10.1.0.9")))
                .isInstanceOf(VerbsException.class)
                .hasMessageContaining("MaxNodes");
    }

    /** A node has several addresses, and says which one is its name: all of them lead to it, in one order. */
    @Test
    void aNodeIsReachedByAnyOfItsAddresses() {
        final Port from = pair.left.bind(1);
        final Port to = pair.right.bind(2);
        final InetAddress alias = InetAddress.ofLiteral("10.9.0.2");
        final OutFlow byAlias = pair.left.engine.ports().flow(from, new InetSocketAddress(alias, 2));
        assertThat(pair.left.send(byAlias, 0, 8)).isEqualTo(SendResult.WOULD_BLOCK);
        pair.left.engine.nodes().onNamed(pair.left.engine.nodes().peer(alias), pair.right.address);
        final OutFlow byName = pair.open(pair.left, from, 2);
        assertThat(byAlias.latest()).isSameAs(byName);
        assertThat(pair.left.engine.ports().flow(from, new InetSocketAddress(alias, 2))).isSameAs(byName);
        for (int i = 0; i < 6; i++) {
            // Of two classes, so that their order is what the receiver puts right.
            assertThat(pair.left.send(i % 2 == 0 ? byAlias : byName, i, i % 2 == 0 ? 1_000 : 8))
                    .isEqualTo(SendResult.SENT);
        }
        pair.run(50);
        for (int i = 0; i < 6; i++) {
            assertThat(pair.right.number(to)).isEqualTo(i);
        }
        assertThat(pair.left.engine.counters().get(Counter.END_NODES)).isEqualTo(1);
        pair.left.engine.ports().close(from);
        pair.run(50);
        assertThat(pair.left.engine.missingBuffers()).isZero();
    }

    /** A datagram back says how much was taken, and is there before the stall: it lets nobody send more. */
    @Test
    void aGrantDoesNotOutrunAStall() {
        final Port from = pair.left.bind(1);
        final Port to = pair.right.bind(2);
        final OutFlow there = pair.open(pair.left, from, 2);
        final OutFlow back = pair.open(pair.right, to, 1);
        pair.run(50);
        to.receiveLimit(4_000);
        while (pair.left.send(there, 1, 1_000) == SendResult.SENT) {
            assertThat(pair.left.deliver()).isTrue();
        }
        assertThat(to.isStalled()).isTrue();
        assertThat(pair.right.send(back, 2, 1_000)).isEqualTo(SendResult.SENT);
        assertThat(pair.right.deliver()).isTrue();
        assertThat(pair.left.number(from)).isEqualTo(2);
        assertThat(pair.left.send(there, 3, 1_000)).isEqualTo(SendResult.WOULD_BLOCK);
        assertThat(pair.left.engine.counters().get(Counter.STALLS_RECEIVED)).isZero();
        pair.run(50);
        assertThat(pair.left.engine.counters().get(Counter.STALLS_RECEIVED)).isEqualTo(1);
        while (pair.right.number(to) >= 0) {
            pair.step();
        }
        pair.run(50);
        assertThat(pair.left.send(there, 4, 1_000)).isEqualTo(SendResult.SENT);
    }
}
