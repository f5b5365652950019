package io.vhca.rdp.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.api.NativeMemory;
import io.vhca.rdp.common.RdpConfig;
import io.vhca.rdp.common.RdpConfigParser;
import io.vhca.rdp.common.RdpCounters.Counter;
import io.vhca.rdp.wire.BatchDescriptor;
import io.vhca.rdp.wire.BatchFlyweight;
import io.vhca.rdp.wire.MessageDescriptor;
import io.vhca.rdp.wire.MessageFlyweight;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Short datagrams that leave as one message. Size classes of 256, 1,024 and 4,096 bytes. */
class BatchTest {
    private static final int HEAD = MessageDescriptor.SIZE;
    private static final int SHORT = 40;
    private static final int FULL = 1_024;
    /** More than a window, and a mark besides. */
    private static final int MANY = 3 * OutFlow.WINDOW / 2;

    private final EnginePair pair = new EnginePair(1, config(64L << 20));
    private final Port from = pair.left.bind(1);
    private final Port to = pair.right.bind(2);
    private final OutFlow flow = pair.left.flow(from, 2);

    private static RdpConfig config(final long receiveMemory) {
        return new RdpConfig(
                List.of(256, FULL, 4_096), 16, 8, 64, 64 << 10, 64 << 10, 75, 25, receiveMemory,
                TimeUnit.SECONDS.toNanos(1), TimeUnit.SECONDS.toNanos(5), TimeUnit.SECONDS.toNanos(2),
                TimeUnit.SECONDS.toNanos(4), 18_634, 8, 300, 1 << 20);
    }

    @AfterEach
    void nothingIsLost() {
        close(pair);
    }

    private static void close(final EnginePair of) {
        assertThat(of.left.engine.missingBuffers()).isZero();
        assertThat(of.right.engine.missingBuffers()).isZero();
        of.close();
    }

    private void send(final int number, final int lengthBytes) {
        assertThat(pair.left.send(flow, number, lengthBytes)).isEqualTo(SendResult.SENT);
    }

    private void turn() {
        pair.left.engine.doWork(pair.nowNs);
    }

    private long batches() {
        return pair.left.engine.counters().get(Counter.TX_BATCHES);
    }

    @Test
    void whatIsSentWhileSomethingIsOnItsWayLeavesTogetherWithTheNextTurn() {
        pair.open(flow, to);
        send(1, SHORT);
        assertThat(pair.left.onTheWay(0)).containsExactly(HEAD + SHORT);
        for (int i = 2; i <= 6; i++) {
            send(i, SHORT);
        }
        assertThat(pair.left.onTheWay(1)).isEmpty();
        assertThat(pair.left.engine.nextDeadlineNs()).isLessThanOrEqualTo(pair.nowNs);
        turn();
        assertThat(pair.left.onTheWay(0)).hasSize(1);
        assertThat(pair.left.onTheWay(1)).containsExactly(HEAD + 5 * BatchDescriptor.sizeOf(SHORT));
        pair.run(50);
        for (int i = 1; i <= 6; i++) {
            assertThat(pair.right.number(to)).isEqualTo(i);
        }
        assertThat(pair.right.receive(to)).isNull();
        assertThat(from.sendHeld()).isZero();
    }

    /** Batches have the second connection. */
    @Test
    void whereThereIsOneConnectionEachGoesByItself() {
        final EnginePair one = new EnginePair(1, RdpConfigParser.parse(Map.of("SizeClasses", "8192")));
        final Port target = one.right.bind(2);
        final OutFlow by = one.left.flow(one.left.bind(1), 2);
        one.open(by, target);
        for (int i = 1; i <= 5; i++) {
            assertThat(one.left.send(by, i, SHORT)).isEqualTo(SendResult.SENT);
        }
        assertThat(one.left.onTheWay(0)).hasSize(5);
        one.run(50);
        for (int i = 1; i <= 5; i++) {
            assertThat(one.right.number(target)).isEqualTo(i);
        }
        assertThat(one.left.engine.counters().get(Counter.TX_BATCHES)).isZero();
        close(one);
    }

    @Test
    void toWhoDoesNotReadThemEachGoesByItself() {
        pair.readsBatches = false;
        pair.open(flow, to);
        for (int i = 1; i <= 6; i++) {
            send(i, SHORT);
        }
        turn();
        assertThat(pair.left.onTheWay(0)).hasSize(6);
        assertThat(batches()).isZero();
        pair.run(50);
    }

    @Test
    void aFullOneLeavesAtOnceAndIsNeverAsLongAsAMessageWithoutAHeader() {
        pair.open(flow, to);
        final int weight = SHORT + Port.OVERHEAD;
        final int fit = FULL / weight;
        send(0, SHORT);
        for (int i = 1; i <= fit + 1; i++) {
            send(i, SHORT);
        }
        assertThat(pair.left.onTheWay(1)).containsExactly(HEAD + fit * BatchDescriptor.sizeOf(SHORT));
        turn();
        assertThat(pair.left.onTheWay(1)).hasSize(2);
        // 4 of 232 bytes and their heads are 992, which with the header are 1,024.
        send(0, FULL);
        for (int i = 0; i < 3; i++) {
            send(0, 232);
        }
        send(0, 248 - 16);
        turn();
        assertThat(pair.left.onTheWay(1).getLast()).isNotEqualTo(FULL);
        pair.run(100);
        assertThat(to.pending()).isEqualTo(fit + 2 + 5);
    }

    @Test
    void theOrderHoldsOverAllConnections() {
        pair.open(flow, to);
        final int[] lengths = {20, 100, 256, 257, FULL, 20, 4_096, 40, 60, 80};
        int sent = 0;
        int received = 0;
        for (int round = 0; round < 20_000 && received < 3_000; round++) {
            while (sent < 3_000
                    && pair.left.send(flow, sent, lengths[sent % lengths.length]) == SendResult.SENT) {
                sent++;
            }
            pair.step();
            for (int number = pair.right.number(to); number >= 0; number = pair.right.number(to)) {
                assertThat(number).isEqualTo(received++);
            }
        }
        assertThat(received).isEqualTo(3_000);
        assertThat(batches()).isPositive();
    }

    @Test
    void whereABufferIsMissingTheRestOfABatchWaits() {
        // Enough for what is posted at the start, and a chunk more of the smallest class.
        final EnginePair tight = new EnginePair(1, config(64L * 320 + 32L * 1_088 + 32L * 4_160));
        final Port sender = tight.left.bind(1);
        final Port reader = tight.right.bind(2);
        final OutFlow of = tight.left.flow(sender, 2);
        tight.open(of, reader);
        int sent = 0;
        for (int i = 0; i < 200; i++) {
            while (tight.left.send(of, sent, 20) == SendResult.SENT) {
                sent++;
            }
            tight.step();
        }
        assertThat(tight.right.engine.counters().get(Counter.RECEIVES_WITHHELD)).isPositive();
        final int pending = reader.pending();
        assertThat(sent).isGreaterThan(pending);
        for (int received = 0; received < sent; received++) {
            final int number = tight.right.number(reader);
            assertThat(number).isEqualTo(received);
            tight.run(3);
        }
        close(tight);
    }

    @Test
    void aBatchThatWasHalfReadIsForgottenWithItsSession() {
        final EnginePair tight = new EnginePair(1, config(64L * 320 + 32L * 1_088 + 32L * 4_160));
        final Port reader = tight.right.bind(2);
        final OutFlow of = tight.open(tight.left, tight.left.bind(1), 2);
        for (int i = 0; i < 200; i++) {
            while (tight.left.send(of, i, 20) == SendResult.SENT) {
                // Until there is no credit.
            }
            tight.step();
        }
        assertThat(tight.right.engine.counters().get(Counter.RECEIVES_WITHHELD)).isPositive();
        // So that one was begun: it has sixteen datagrams.
        for (int i = 0; i < 5; i++) {
            assertThat(tight.right.receive(reader)).isNotNull();
            tight.right.engine.doWork(tight.nowNs);
        }
        tight.left.engine.nodes().onReplaced(tight.left.peer());
        tight.right.engine.nodes().onReplaced(tight.right.peer());
        while (tight.right.receive(reader) != null) {
            // They came before.
        }
        tight.nowNs += tight.left.engine.config().minRecoveryNs();
        tight.open(of, reader);
        for (int i = 0; i < 40; i++) {
            assertThat(tight.left.send(of, i, 20)).isEqualTo(SendResult.SENT);
        }
        tight.run(100);
        for (int i = 0; i < 40; i++) {
            assertThat(tight.right.number(reader)).isEqualTo(i);
        }
        close(tight);
    }

    /** A grant is a count: what comes after a batch that waits would be taken for it. */
    @Test
    void nothingThatCameAfterABatchThatWaitsIsGrantedBeforeIt() {
        final EnginePair tight = new EnginePair(1, RdpConfig.DEFAULT);
        final Port shortTo = tight.right.bind(2);
        final Port longTo = tight.right.bind(3);
        final Port unread = tight.right.bind(4);
        final OutFlow shorts = tight.left.flow(tight.left.bind(12), 2);
        final OutFlow longs = tight.left.flow(tight.left.bind(13), 3);
        final OutFlow fill = tight.left.flow(tight.left.bind(14), 4);
        tight.open(shorts, shortTo);
        tight.open(longs, longTo);
        tight.open(fill, unread);
        tight.right.hasMemory = false;
        while (tight.right.engine.arrivals().pool(0).has(1)) {
            assertThat(tight.left.send(fill, 0, 8)).isEqualTo(SendResult.SENT);
            tight.run(20);
        }
        int sent = 0;
        for (int turn = 0; turn < 300; turn++) {
            sendLong(tight, longs, longTo);
            while (sent <= MANY && tight.left.send(shorts, sent, sent < MANY ? 8 : 20_000) == SendResult.SENT) {
                sent++;
            }
            tight.step();
            assertThat(tight.right.engine.counters().get(Counter.FOREIGN)).isZero();
        }
        assertThat(shortTo.pending()).isZero();
        int received = 0;
        for (int turn = 0; turn < 20_000 && received <= MANY; turn++) {
            sendLong(tight, longs, longTo);
            while (sent <= MANY && tight.left.send(shorts, sent, sent < MANY ? 8 : 20_000) == SendResult.SENT) {
                sent++;
            }
            tight.right.receive(unread);
            for (int number = tight.right.number(shortTo); number >= 0; number = tight.right.number(shortTo)) {
                assertThat(number).isEqualTo(received++);
            }
            tight.step();
        }
        assertThat(received).isEqualTo(MANY + 1);
        close(tight);
    }

    /** Some datagrams of a class that shares its connection with batches, and those that came are taken. */
    private static void sendLong(final EnginePair by, final OutFlow flow, final Port to) {
        for (int i = 0; i < 10; i++) {
            by.left.send(flow, i, 8_000);
        }
        while (by.right.receive(to) != null) {
            // They are no more than what uses the connection.
        }
    }

    @Test
    void whatWaitsWhenTheSessionEndsCountsAsLost() {
        pair.open(flow, to);
        final int failures = pair.left.peer().failures();
        send(1, SHORT);
        pair.run(20);
        send(2, SHORT);
        send(3, SHORT);
        pair.left.engine.nodes().onReplaced(pair.left.peer());
        assertThat(from.sendHeld()).isZero();
        assertThat(pair.left.peer().failures()).isEqualTo(failures + 1);
        assertThat(pair.left.send(flow, 4, SHORT)).isEqualTo(SendResult.UNREACHABLE);
    }

    @ParameterizedTest
    @CsvSource({"99, 40, 0, 64", "0, 257, 0, 320", "0, -1, 0, 64", "0, 80, 0, 64", "0, 40, 5000, 64"})
    void whatBreaksARuleEndsTheSession(
            final int flowId, final int length, final long sequence, final int messageBytes) {
        pair.open(flow, to);
        final Buffer receive = pair.right.takeReceive(1);
        new MessageFlyweight()
                .wrap(receive.address())
                .write(MessageDescriptor.BATCH, (byte) 0, 0, 0, messageBytes, 0)
                .grants(0, 0);
        NativeMemory.fill(receive.address() + HEAD, messageBytes, (byte) 0);
        new BatchFlyweight().wrap(receive.address() + HEAD).write(flowId, length, flow.sequence() + sequence);
        final long foreign = pair.right.engine.counters().get(Counter.FOREIGN);
        pair.right.engine.arrivals().onReceived(pair.right.peer(), 1, receive, HEAD + messageBytes);
        assertThat(pair.right.engine.counters().get(Counter.FOREIGN)).isEqualTo(foreign + 1);
        assertThat(pair.right.peer().isBroken()).isTrue();
        pair.right.engine.doWork(pair.nowNs);
        assertThat(to.pending()).isZero();
    }

    @Test
    void batchesComeByTheirOwnConnectionAlone() {
        pair.open(flow, to);
        final Buffer receive = pair.right.takeReceive(2);
        new MessageFlyweight()
                .wrap(receive.address())
                .write(MessageDescriptor.BATCH, (byte) 0, 0, 0, 0, 0)
                .grants(0, 0);
        pair.right.engine.arrivals().onReceived(pair.right.peer(), 2, receive, HEAD);
        assertThat(pair.right.peer().isBroken()).isTrue();
        pair.right.engine.doWork(pair.nowNs);
    }

    /** All receives were posted, and nobody has one to give back. */
    @Test
    void whoseMemoryIsUsedUpHasABufferToReadBatchesWith() {
        final RdpConfig one = config(64L << 20);
        final EnginePair tight = new EnginePair(1, new RdpConfig(
                one.sizeClasses(), 24, 8, one.dataSendBuffers(), one.userBufferSize(), one.maxMessageBytes(), 75, 25,
                one.maxRecvMemory(), one.heartbeatNs(), one.nodeTimeoutNs(), one.minRecoveryNs(),
                one.connectTimeoutNs(), one.port(), one.maxNodes(), one.inPlaceBytes(), one.maxRegisteredMemory()));
        final Port reader = tight.right.bind(2);
        final OutFlow of = tight.open(tight.left, tight.left.bind(1), 2);
        tight.right.hasMemory = false;
        for (int i = 0; i < 10; i++) {
            assertThat(tight.left.send(of, i, 20)).isEqualTo(SendResult.SENT);
        }
        for (int i = 0; i < 10; i++) {
            tight.run(50);
            assertThat(tight.right.number(reader)).isEqualTo(i);
        }
        close(tight);
    }

    /** It is counted as sent: what is counted after it leaves after it. */
    @Test
    void nothingOfItsConnectionPassesOneThatWaits() {
        pair.open(flow, to);
        send(1, SHORT);
        send(2, SHORT);
        assertThat(pair.left.onTheWay(1)).isEmpty();
        send(3, FULL);
        assertThat(pair.left.onTheWay(1)).containsExactly(HEAD + BatchDescriptor.sizeOf(SHORT), FULL);
        pair.run(50);
        assertThat(to.pending()).isEqualTo(3);
    }

    /** He was refused, and will not come again: who was refused after him has the next credit. */
    @Test
    void whoIsClosedKeepsNobodyWaiting() {
        pair.readsBatches = false;
        pair.open(flow, to);
        final Port later = pair.left.bind(3);
        final OutFlow other = pair.open(pair.left, later, 2);
        pair.run(50);
        final Lane lane = pair.left.peer().lane(0);
        while (pair.left.send(flow, 1, SHORT) == SendResult.SENT) {
            // Until there is no credit.
        }
        assertThat(lane.mayPost()).isFalse();
        assertThat(pair.left.send(other, 2, SHORT)).isEqualTo(SendResult.WOULD_BLOCK);
        pair.left.engine.ports().close(from);
        pair.left.heldLane = 0;
        lane.completed();
        lane.onGranted((int) lane.window().sent() - lane.window().outstanding() + 1);
        assertThat(pair.left.send(other, 2, SHORT)).isEqualTo(SendResult.SENT);
    }
}
