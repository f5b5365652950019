package io.vhca.rdp.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vhca.api.VerbsException;
import io.vhca.rdp.common.RdpConfig;
import io.vhca.rdp.common.RdpCounters.Counter;
import io.vhca.rdp.completion.DirectedReceipt;
import io.vhca.rdp.completion.SendCompletion;
import io.vhca.rdp.engine.EnginePair.Node;
import io.vhca.rdp.wire.ControlDescriptor;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Datagrams that are written into memory which their receivers name. */
class DirectedTest {
    private static final int ROOM = 50_000;
    private static final RdpConfig CONFIG = new RdpConfig(
            List.of(256, 1_024, 4_096), 8, 4, 64, 128 << 10, 16 << 10, 75, 25, 64L << 20, TimeUnit.SECONDS.toNanos(1),
            TimeUnit.SECONDS.toNanos(5), 0, TimeUnit.SECONDS.toNanos(4), 18_634, 8, 0, 1 << 20);

    private final Arena arena = Arena.ofShared();
    private final MemorySegment source = arena.allocate(ROOM, 64);
    private final MemorySegment target = arena.allocate(4L * ROOM, 64);
    private final SendCompletion completion = new SendCompletion();
    private EnginePair pair = new EnginePair(1, CONFIG);
    private Node left = pair.left;
    private Node right = pair.right;
    private Port from = left.bind(1);
    private Port to = right.bind(2);
    private OutFlow flow = left.flow(from, 2);
    private InetSocketAddress sender = new InetSocketAddress(left.address, 1);

    @BeforeEach
    void open() {
        left.send(flow, 0, 0);
        for (int i = 0; i < 1_000 && !flow.isOpen(); i++) {
            pair.step();
        }
        assertThat(flow.isOpen()).isTrue();
    }

    @AfterEach
    void close() {
        pair.close();
        assertThat(left.registered + right.registered).isZero();
        arena.close();
    }

    private void again(final long seed) {
        pair.close();
        pair = new EnginePair(seed, CONFIG);
        left = pair.left;
        right = pair.right;
        from = left.bind(1);
        to = right.bind(2);
        flow = left.flow(from, 2);
        sender = new InetSocketAddress(left.address, 1);
        open();
    }

    private void offer(final int place, final int lengthBytes, final long tag) {
        to.offers().offer(target.address() + (long) place * ROOM, lengthBytes, sender, tag);
    }

    private SendResult send(final int lengthBytes, final long tag, final long token) {
        SendResult result = left.sendDirected(flow, source.asSlice(0, lengthBytes), tag, token);
        for (int i = 0; i < 1_000 && result == SendResult.WOULD_BLOCK; i++) {
            pair.step();
            result = left.sendDirected(flow, source.asSlice(0, lengthBytes), tag, token);
        }
        return result;
    }

    private @Nullable DirectedReceipt receipt() {
        DirectedReceipt receipt = to.offers().poll();
        for (int i = 0; i < 1_000 && receipt == null; i++) {
            pair.step();
            receipt = to.offers().poll();
        }
        return receipt;
    }

    private void completed(final long token, final boolean isLost) {
        for (int i = 0; i < 1_000 && !from.hasCompletion(); i++) {
            pair.step();
        }
        assertThat(from.poll(completion)).isTrue();
        assertThat(completion.token()).isEqualTo(token);
        assertThat(completion.isLost()).isEqualTo(isLost);
    }

    @Test
    void whoCannotRegisterWhatHeSendsTriesAgain() {
        final int[] told = new int[1];
        flow = pair.open(left, left.bind(3, () -> told[0]++), 2);
        to.offers().offer(target.address(), ROOM, new InetSocketAddress(left.address, 3), 900);
        left.canRegister = false;
        assertThat(send(40_000, 900, 7)).isEqualTo(SendResult.NO_BUFFERS);
        told[0] = 0;
        final long laterNs = left.engine.nextDeadlineNs();
        assertThat(laterNs - pair.nowNs).isLessThanOrEqualTo(100 * EnginePair.MS);
        pair.nowNs += 100 * EnginePair.MS;
        left.engine.doWork(pair.nowNs);
        assertThat(told[0]).isEqualTo(1);
        left.canRegister = true;
        assertThat(send(40_000, 900, 7)).isEqualTo(SendResult.SENT);
    }

    @Test
    void isPlacedWhereTheReceiverWantsIt() {
        source.fill((byte) 5);
        offer(1, ROOM, 900);
        assertThat(send(40_000, 900, 7)).isEqualTo(SendResult.SENT);

        assertThat(receipt()).isEqualTo(new DirectedReceipt(900, 40_000, sender, false));
        assertThat(target.asSlice(ROOM, 40_000).mismatch(source.asSlice(0, 40_000))).isEqualTo(-1);
        assertThat(target.get(ValueLayout.JAVA_BYTE, ROOM - 1)).isZero();
        assertThat(target.get(ValueLayout.JAVA_BYTE, ROOM + 40_000)).isZero();
        completed(7, false);
        assertThat(to.offers().poll()).isNull();
        assertThat(to.pending()).isZero();
        assertThat(from.sendHeld()).isZero();
        assertThat(left.engine.counters().get(Counter.TX_DIRECTED)).isEqualTo(1);
        assertThat(right.engine.counters().get(Counter.RX_DIRECTED)).isEqualTo(1);
        assertThat(right.engine.counters().get(Counter.RX_BYTES)).isEqualTo(40_000);
        assertThat(right.engine.missingBuffers() + left.engine.missingBuffers()).isZero();
    }

    @Test
    void memoryIsUsedOnceAndWhatIsTooLongStaysOut() {
        offer(0, 1_000, 3);
        pair.run(30);
        assertThat(send(1_001, 3, 1)).isEqualTo(SendResult.TOO_LONG);
        assertThat(send(1_000, 3, 2)).isEqualTo(SendResult.SENT);
        assertThat(left.sendDirected(flow, source.asSlice(0, 10), 3, 3)).isEqualTo(SendResult.WOULD_BLOCK);
        pair.run(50);
        assertThat(left.sendDirected(flow, source.asSlice(0, 10), 3, 3)).isEqualTo(SendResult.WOULD_BLOCK);
        completed(2, false);
        assertThat(from.poll(completion)).isFalse();

        assertThat(receipt()).isEqualTo(new DirectedReceipt(3, 1_000, sender, false));
        offer(0, 1_000, 3);
        assertThat(send(10, 3, 4)).isEqualTo(SendResult.SENT);
        assertThat(receipt()).isEqualTo(new DirectedReceipt(3, 10, sender, false));
    }

    /** Datagrams of all classes and such that are placed: what was sent before is in the socket when a receipt is. */
    @ParameterizedTest
    @ValueSource(longs = {2, 3, 4, 5, 6, 7, 8, 9})
    void isInOrderWithWhatWasSentBefore(final long seed) {
        again(seed);
        int sent = 0;
        int received = 0;
        int placed = 0;
        for (int round = 0; round < 200; round++) {
            source.set(ValueLayout.JAVA_INT, 0, sent);
            if (to.offers().find(sender, 5) == null) {
                offer(0, ROOM, 5);
            }
            final int length = (round * 577) % 5_000 + 8;
            final boolean isDirected = round % 3 == 0
                    && left.sendDirected(flow, source.asSlice(0, length), 5, sent) == SendResult.SENT;
            if (isDirected || left.send(flow, sent, (round * 911) % 5_000 + 8) == SendResult.SENT) {
                sent++;
            }
            while (isDirected && !from.poll(completion)) {
                pair.step();
            }
            pair.step();
            final DirectedReceipt receipt = to.offers().poll();
            if (receipt != null) {
                final int number = target.get(ValueLayout.JAVA_INT, 0);
                for (; received < number; received++) {
                    assertThat(right.number(to)).isEqualTo(received);
                }
                received++;
                placed++;
            }
        }
        assertThat(placed).isGreaterThan(20);
    }

    /** The number that is written with one has sixteen bits. */
    @Test
    void theSequenceGoesRound() {
        final int before = 65_530;
        int sent = 0;
        for (int received = 0; received < before; pair.step()) {
            while (sent < before && left.send(flow, sent, 8) == SendResult.SENT) {
                sent++;
            }
            for (int number = right.number(to); number >= 0; number = right.number(to)) {
                assertThat(number).isEqualTo(received++);
            }
        }
        for (int i = 0; i < 20; i++) {
            offer(0, 1_000, 5);
            assertThat(send(100, 5, i)).isEqualTo(SendResult.SENT);
            assertThat(receipt()).isEqualTo(new DirectedReceipt(5, 100, sender, false));
            completed(i, false);
        }
        assertThat(flow.sequence()).isGreaterThan(1 << 16);
    }

    @Test
    void aStalledSocketTakesWhatItHasMemoryFor() {
        offer(0, ROOM, 1);
        pair.run(30);
        for (int i = 0; i < 1_000 && !flow.isStalled(); i++) {
            left.send(flow, i, 4_000);
            pair.step();
        }
        assertThat(flow.isStalled()).isTrue();
        assertThat(send(30_000, 1, 1)).isEqualTo(SendResult.SENT);
        assertThat(receipt()).isEqualTo(new DirectedReceipt(1, 30_000, sender, false));
    }

    /** There are credits again, and the port there still takes nothing but what it has memory for. */
    @Test
    void whoWaitsForCreditsForWhatAStalledPortHasMemoryForIsToldOfThem() {
        final int[] told = new int[1];
        final Port waiting = left.bind(3, () -> told[0]++);
        final OutFlow stalled = pair.open(left, waiting, 2);
        to.offers().offer(target.address(), ROOM, new InetSocketAddress(left.address, 3), 1);
        pair.run(30);
        for (int i = 0; i < 1_000 && !stalled.isStalled(); i++) {
            left.send(stalled, i, 4_000);
            pair.step();
        }
        pair.run(50);
        assertThat(waiting.sendHeld()).as("nothing of its own can wake it").isZero();
        final Port read = right.bind(4);
        final OutFlow others = pair.open(left, left.bind(5), 4);
        for (int i = 0; left.send(others, i, 4_000) == SendResult.SENT; i++) {
            assertThat(i).isLessThan(1_000);
        }
        final MemorySegment large = source.asSlice(0, 30_000);
        assertThat(left.sendDirected(stalled, large, 1, 1)).isEqualTo(SendResult.WOULD_BLOCK);
        told[0] = 0;
        for (int i = 0; i < 50; i++) {
            pair.step();
            byte[] next = right.receive(read);
            while (next != null) {
                next = right.receive(read);
            }
        }
        assertThat(stalled.isStalled()).isTrue();
        assertThat(told[0]).isPositive();
        assertThat(left.sendDirected(stalled, large, 1, 1)).isEqualTo(SendResult.SENT);
        pair.run(50);
    }

    @Test
    void memoryThatIsAskedBackIsWrittenToNoMore() {
        offer(0, 1_000, 1);
        pair.run(30);
        assertThat(to.offers().withdraw(sender, 1)).isTrue();
        assertThat(to.offers().poll()).as("the sender knows of it still").isNull();
        assertThat(right.engine.forget(target.address(), 10)).isFalse();

        assertThat(receipt()).isEqualTo(new DirectedReceipt(1, 0, sender, true));
        assertThat(left.sendDirected(flow, source.asSlice(0, 10), 1, 1)).isEqualTo(SendResult.WOULD_BLOCK);
        assertThat(right.engine.forget(target.address(), 10)).isTrue();
        assertThat(to.offers().withdraw(sender, 1)).isFalse();
    }

    @Test
    void aDatagramThatIsOnItsWayWinsOverAWithdrawal() {
        for (int seed = 1; seed <= 50; seed++) {
            again(seed);
            onItsWay();
        }
    }

    private void onItsWay() {
        offer(0, 5_000, 1);
        pair.run(30);
        assertThat(send(5_000, 1, 1)).isEqualTo(SendResult.SENT);
        assertThat(to.offers().withdraw(sender, 1)).isTrue();
        offer(1, 1_000, 2);

        assertThat(receipt()).isEqualTo(new DirectedReceipt(1, 5_000, sender, false));
        pair.run(50);
        assertThat(to.offers().poll()).isNull();
        assertThat(right.engine.counters().get(Counter.FOREIGN)).isZero();
        assertThat(send(20, 2, 2)).isEqualTo(SendResult.SENT);
        assertThat(receipt()).isEqualTo(new DirectedReceipt(2, 20, sender, false));
    }

    @Test
    void anOfferThatNobodyWasToldOfIsTakenBackAtOnce() {
        offer(0, 1_000, 1);
        assertThat(to.offers().withdraw(sender, 1)).isTrue();
        assertThat(to.offers().poll()).isEqualTo(new DirectedReceipt(1, 0, sender, true));
        // A socket that was never heard of may be offered memory too.
        final InetSocketAddress later = new InetSocketAddress(left.address, 77);
        to.offers().offer(target.address(), 1_000, later, 1);
        final Port second = left.bind(77);
        final OutFlow other = left.flow(second, 2);
        for (int i = 0; i < 1_000 && !second.hasCompletion(); i++) {
            left.sendDirected(other, source.asSlice(0, 9), 1, 1);
            pair.step();
        }
        assertThat(receipt()).isEqualTo(new DirectedReceipt(1, 9, later, false));
    }

    @Test
    void anOfferOutlivesItsPath() {
        offer(0, ROOM, 1);
        pair.run(30);
        assertThat(send(20_000, 1, 1)).isEqualTo(SendResult.SENT);
        left.engine.nodes().onDown(left.peer());
        left.engine.doWork(pair.nowNs);
        completed(1, true);
        assertThat(right.engine.forget(target.address(), 10)).isFalse();

        source.fill((byte) 9);
        assertThat(send(300, 1, 2)).isEqualTo(SendResult.SENT);
        assertThat(receipt()).isEqualTo(new DirectedReceipt(1, 300, sender, false));
        assertThat(target.get(ValueLayout.JAVA_BYTE, 299)).isEqualTo((byte) 9);
        assertThat(to.offers().poll()).isNull();
    }

    @Test
    void aWithdrawalEndsWithThePath() {
        offer(0, ROOM, 1);
        pair.run(30);
        to.offers().withdraw(sender, 1);
        pair.isCut = true;
        right.engine.nodes().onDown(right.peer());
        right.engine.doWork(pair.nowNs);
        assertThat(to.offers().poll()).isEqualTo(new DirectedReceipt(1, 0, sender, true));
    }

    @Test
    void theMemoryOfAClosedSocketIsFreeWhenItsSenderKnows() {
        offer(0, 1_000, 1);
        pair.run(30);
        assertThat(send(900, 1, 1)).isEqualTo(SendResult.SENT);
        right.engine.ports().close(to);
        assertThat(right.engine.forget(target.address(), 1_000)).isFalse();
        pair.run(100);
        assertThat(right.engine.forget(target.address(), 1_000)).isTrue();
        completed(1, false);
        assertThat(right.engine.counters().get(Counter.RX_DIRECTED)).isZero();
        assertThat(right.engine.missingBuffers()).isZero();
        assertThat(right.engine.counters().get(Counter.FOREIGN)).isZero();
    }

    @Test
    void aSenderThatEndsGivesWhatItDidNotUseBack() {
        offer(0, 1_000, 1);
        pair.run(30);
        left.engine.ports().close(from);
        pair.run(100);
        assertThat(to.offers().withdraw(sender, 1)).isTrue();
        assertThat(to.offers().poll()).isEqualTo(new DirectedReceipt(1, 0, sender, true));
        assertThat(right.engine.counters().get(Counter.FOREIGN)).isZero();
    }

    /** Memory that a socket knew of is told to the next one at its port as if it were new. */
    @Test
    void whoIsBoundAnewUsesWhatTheSocketBeforeGaveBack() {
        offer(0, 1_000, 1);
        pair.run(30);
        left.engine.ports().close(from);
        pair.run(100);
        from = left.bind(1);
        flow = pair.open(left, from, 2);
        assertThat(send(10, 1, 1)).isEqualTo(SendResult.SENT);
        assertThat(receipt()).isEqualTo(new DirectedReceipt(1, 10, sender, false));
        assertThat(left.engine.counters().get(Counter.FOREIGN)).isZero();
    }

    @Test
    void sameTagTwiceAndTooMuchMemoryAreNamed() {
        offer(0, 1_000, 1);
        assertThatThrownBy(() -> offer(1, 1_000, 1))
                .isInstanceOf(VerbsException.class)
                .hasMessageContaining("EEXIST")
                .hasMessageContaining("tag 1");
        assertThatThrownBy(() -> to.offers().offer(target.address(), 2 << 20, sender, 2))
                .isInstanceOf(VerbsException.class)
                .hasMessageContaining("MaxRegisteredMemory");
    }

    @Test
    void socketsOfOneNodeCopyOnce() {
        final Port near = left.bind(9);
        final OutFlow local = left.engine.ports().flow(from, new InetSocketAddress(left.address, 9));
        assertThat(left.sendDirected(local, source.asSlice(0, 10), 4, 1)).isEqualTo(SendResult.WOULD_BLOCK);
        near.offers().offer(target.address(), 10, sender, 4);
        assertThat(left.sendDirected(local, source.asSlice(0, 11), 4, 1)).isEqualTo(SendResult.TOO_LONG);
        assertThat(left.sendDirected(local, source.asSlice(0, 10), 4, 1)).isEqualTo(SendResult.SENT);
        assertThat(near.offers().poll()).isEqualTo(new DirectedReceipt(4, 10, sender, false));
        completed(1, false);
    }

    /** Memory that is named for a socket of the same node lets a send go on that lacked it. */
    @Test
    void whoWaitsForMemoryOfASocketOfTheSameNodeIsTold() {
        final int[] told = new int[1];
        final Port near = left.bind(9);
        final OutFlow local = left.engine.ports()
                .flow(left.bind(8, () -> told[0]++), new InetSocketAddress(left.address, 9));
        assertThat(left.sendDirected(local, source.asSlice(0, 10), 4, 1)).isEqualTo(SendResult.WOULD_BLOCK);
        assertThat(told[0]).isZero();
        near.offers().offer(target.address(), 10, new InetSocketAddress(right.address, 8), 4);
        assertThat(told[0]).as("it is another node's").isZero();
        near.offers().offer(target.address(), 10, new InetSocketAddress(left.address, 8), 4);
        assertThat(told[0]).isEqualTo(1);
        assertThat(left.sendDirected(local, source.asSlice(0, 10), 4, 1)).isEqualTo(SendResult.SENT);
    }

    @Test
    void memoryThatIsWrittenToTwiceIsForeign() {
        offer(0, 1_000, 1);
        pair.run(30);
        // One message is missing before each of them.
        right.forge(0, right.takeReceive(0), 2 << 16);
        assertThat(right.engine.counters().get(Counter.FOREIGN)).isZero();
        right.forge(0, right.takeReceive(0), 3 << 16);
        assertThat(right.engine.counters().get(Counter.FOREIGN)).isEqualTo(1);
        pair.run(100);
        assertThat(to.offers().poll()).isNull();
        assertThat(right.engine.missingBuffers()).isZero();
    }

    /** The datagram in it waits for one that is missing: its receipt is one of the two, and not both. */
    @Test
    void whoHasWrittenThereDoesNotGiveItBack() {
        offer(0, 1_000, 1);
        pair.run(30);
        right.forge(0, right.takeReceive(0), 2 << 16);
        assertThat(to.offers().withdraw(sender, 1)).isTrue();
        right.engine.doWork(pair.nowNs);
        right.forgeControl(ControlDescriptor.WITHDRAWN, 0, 0, 0, 0);
        assertThat(right.engine.counters().get(Counter.FOREIGN)).isEqualTo(1);
        pair.run(100);
        assertThat(to.offers().poll()).isEqualTo(new DirectedReceipt(1, 0, sender, true));
        assertThat(to.offers().poll()).isNull();
        assertThat(right.engine.forget(target.address(), 10)).isTrue();
        assertThat(right.engine.missingBuffers()).isZero();
    }

    /** A write that nothing was offered for ends the session, and is counted. */
    @ParameterizedTest
    @ValueSource(ints = {0, 5, 0xffff})
    void aWriteThatCannotBeIsForeign(final int slot) {
        offer(0, 1_000, 1);
        final int told = slot == 0 ? 30 : 0;
        pair.run(told);
        // Slot 0 is known, but not that far ahead.
        right.forge(0, right.takeReceive(0), 5_000 << 16 | slot);
        assertThat(right.engine.counters().get(Counter.FOREIGN)).isEqualTo(1);
        pair.run(100);
        assertThat(right.engine.missingBuffers()).isZero();
        assertThat(send(10, 1, 1)).isEqualTo(SendResult.SENT);
        assertThat(receipt()).isEqualTo(new DirectedReceipt(1, 10, sender, false));
    }

    /** What the old socket sent last is still under way, by another connection, when the new one sends. */
    @Test
    void whoIsBoundAnewIsToldOfMemoryOnceAndOfAllWhenTheSocketBeforeIsOver() {
        offer(0, 1_000, 3);
        pair.run(30);
        left.heldLane = 2;
        assertThat(left.send(flow, 1, 4_000)).isEqualTo(SendResult.SENT);
        left.engine.ports().close(from);
        from = left.bind(1);
        flow = pair.open(left, from, 2);
        offer(1, 1_000, 4);
        assertThat(send(10, 4, 1)).isEqualTo(SendResult.SENT);
        assertThat(receipt()).isEqualTo(new DirectedReceipt(4, 10, sender, false));
        completed(1, false);
        assertThat(left.sendDirected(flow, source.asSlice(0, 10), 3, 2)).isEqualTo(SendResult.WOULD_BLOCK);

        left.heldLane = -1;
        assertThat(send(10, 3, 2)).isEqualTo(SendResult.SENT);
        assertThat(receipt()).isEqualTo(new DirectedReceipt(3, 10, sender, false));
        completed(2, false);
        assertThat(right.number(to)).isEqualTo(1);
        assertThat(right.engine.counters().get(Counter.FOREIGN)).isZero();
    }
}
