package io.vhca.rdp.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.rdp.common.RdpConfig;
import io.vhca.rdp.common.RdpCounters.Counter;
import io.vhca.rdp.common.SessionEnd;
import io.vhca.rdp.wire.BareDescriptor;
import io.vhca.rdp.wire.MessageDescriptor;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Which messages go without a header, and that they are understood. Size classes of 256, 1,024 and 4,096 bytes. */
class BareMessageTest {
    private static final int HEAD = MessageDescriptor.SIZE;
    private static final int FULL = 1_024;
    private static final RdpConfig SMALL = new RdpConfig(
            List.of(256, FULL, 4_096), 16, 8, 64, 64 << 10, 64 << 10, 75, 25, 64L << 20,
            TimeUnit.SECONDS.toNanos(1), TimeUnit.SECONDS.toNanos(5), TimeUnit.SECONDS.toNanos(2),
            TimeUnit.SECONDS.toNanos(4), 18_634, 8, 300, 1 << 20);

    private final EnginePair pair = new EnginePair(1, SMALL);
    private Port from = pair.left.bind(1);
    private Port to = pair.right.bind(2);
    private OutFlow flow = pair.left.flow(from, 2);

    @BeforeEach
    void open() {
        // Each by itself, however short.
        pair.readsBatches = false;
        pair.open(flow, to);
    }

    @AfterEach
    void close() {
        assertThat(pair.left.engine.missingBuffers()).isZero();
        assertThat(pair.right.engine.missingBuffers()).isZero();
        pair.close();
    }

    private void send(final OutFlow by, final int number, final int lengthBytes) {
        assertThat(pair.left.send(by, number, lengthBytes)).isEqualTo(SendResult.SENT);
    }

    private void arrives(final int number, final int lengthBytes) {
        final byte[] datagram = pair.right.receive(to);
        assertThat(datagram).hasSize(lengthBytes);
        final MemorySegment bytes = MemorySegment.ofArray(datagram);
        assertThat(bytes.get(ValueLayout.JAVA_INT_UNALIGNED, 0)).isEqualTo(number);
        assertThat(bytes.get(ValueLayout.JAVA_INT_UNALIGNED, lengthBytes - Integer.BYTES))
                .isEqualTo(number);
    }

    @Test
    void whatAHeaderWouldMakeAPacketLongerGoesWithoutOne() {
        final int[] lengths = {FULL, 512 - HEAD, 512 - HEAD + 1, 512, 512 + 1, FULL - HEAD, FULL - HEAD + 1};
        for (int i = 0; i < lengths.length; i++) {
            send(flow, i, lengths[i]);
        }
        assertThat(pair.left.onTheWay(1))
                .containsExactly(FULL, 512 - HEAD, 512 - HEAD + 1, 512, 512 + 1 + HEAD, FULL - HEAD, FULL - HEAD + 1);
        assertThat(pair.left.saying(1)).containsExactly(true, true, true, false, false, true, true);
        pair.run(50);
        for (int i = 0; i < lengths.length; i++) {
            arrives(i, lengths[i]);
        }
    }

    /** Nor does all but the first of a stream say anything: its packets are as long as those of the stream's SENDs. */
    @Test
    void whatGoesOnSaysNothing() {
        for (int i = 1; i <= 4; i++) {
            send(flow, i, FULL);
        }
        assertThat(pair.left.onTheWay(1)).containsExactly(FULL, FULL, FULL, FULL);
        assertThat(pair.left.saying(1)).containsExactly(true, false, false, false);
        pair.run(50);
        for (int i = 1; i <= 4; i++) {
            arrives(i, FULL);
        }
    }

    @Test
    void flowsAndConnectionsThatTakeTurnsNeedNone() {
        final OutFlow other = pair.left.flow(pair.left.bind(3), 2);
        pair.open(other, to);
        send(flow, 1, FULL);
        send(other, 2, FULL);
        send(flow, 3, 100);
        send(flow, 4, FULL);
        assertThat(pair.left.onTheWay(1)).containsExactly(FULL, FULL, FULL);
        assertThat(pair.left.saying(1)).containsExactly(true, true, true);
        final List<Integer> numbers = new ArrayList<>();
        pair.run(50);
        for (int number = pair.right.number(to); number >= 0; number = pair.right.number(to)) {
            numbers.add(number);
        }
        assertThat(numbers).containsExactlyInAnyOrder(1, 2, 3, 4);
        assertThat(numbers).containsSubsequence(1, 3, 4);
    }

    /** As many messages as the sequence in immediate data has numbers, and more. */
    @Test
    void theSequenceGoesRound() {
        final int count = 70_000;
        int sent = 0;
        for (int received = 0; received < count; pair.step()) {
            while (sent < count && pair.left.send(flow, sent, FULL) == SendResult.SENT) {
                sent++;
            }
            for (int number = pair.right.number(to); number >= 0; number = pair.right.number(to)) {
                assertThat(number).isEqualTo(received++);
            }
        }
    }

    @Test
    void segmentsNeedNoneToo() {
        send(flow, 1, 3 * 4_096);
        send(flow, 2, 3 * 4_096 + 10);
        assertThat(pair.left.onTheWay(2)).containsExactly(4_096, 4_096, 4_096, 4_096, 4_096, 4_096, HEAD + 10);
        assertThat(pair.left.saying(2)).containsExactly(true, false, true, true, false, false, false);
        pair.run(50);
        arrives(1, 3 * 4_096);
        arrives(2, 3 * 4_096 + 10);
    }

    @Test
    void inPlaceToo() {
        try (Arena arena = Arena.ofConfined()) {
            final int[] lengths = {FULL, FULL, FULL - HEAD, FULL};
            for (int i = 0; i < lengths.length; i++) {
                final MemorySegment bytes = arena.allocate(lengths[i]);
                bytes.set(ValueLayout.JAVA_INT, 0, i);
                bytes.set(ValueLayout.JAVA_INT, lengths[i] - Integer.BYTES, i);
                assertThat(pair.left.sendInPlace(flow, bytes, i)).isEqualTo(SendResult.SENT);
            }
            assertThat(pair.left.onTheWay(1)).containsExactly(FULL, FULL, FULL - HEAD, FULL);
            assertThat(pair.left.saying(1)).containsExactly(true, false, true, false);
            pair.run(50);
            for (int i = 0; i < lengths.length; i++) {
                arrives(i, lengths[i]);
            }
        }
    }

    private void newSession() {
        pair.left.peer().broken(SessionEnd.FOREIGN);
        pair.right.peer().broken(SessionEnd.FOREIGN);
        pair.run(50);
        pair.nowNs += TimeUnit.SECONDS.toNanos(10);
        pair.open(flow, to);
    }

    @Test
    void aNewSessionBeginsWithOneThatSaysWhatItIs() {
        send(flow, 1, FULL);
        pair.run(50);
        arrives(1, FULL);
        newSession();
        send(flow, 2, 100);
        send(flow, 3, FULL); // the second of its flow, as it would have been before
        assertThat(pair.left.saying(1)).containsExactly(true);
        pair.run(50);
        arrives(2, 100);
        arrives(3, FULL);
    }

    @Test
    void theFirstOfASessionThatSaysNothingIsForeign() {
        send(flow, 1, FULL);
        pair.run(50);
        arrives(1, FULL);
        newSession();
        pair.right.engine.arrivals().onReceived(pair.right.peer(), 1, pair.right.takeReceive(1), FULL);
        assertThat(pair.right.engine.counters().get(Counter.FOREIGN)).isEqualTo(1);
        pair.left.peer().broken(SessionEnd.FOREIGN);
        pair.run(50);
        assertThat(pair.right.peer().state()).isNotEqualTo(PeerState.UP);
    }

    private void sendAndReceive(final int count) {
        int sent = 0;
        int received = 0;
        for (int step = 0; step < 10_000 && received < count; step++) {
            while (sent < count && pair.left.send(flow, sent, FULL) == SendResult.SENT) {
                sent++;
            }
            for (int number = pair.right.number(to); number >= 0; number = pair.right.number(to)) {
                assertThat(number).isEqualTo(received++);
            }
            pair.step();
        }
        assertThat(received).isEqualTo(count);
    }

    /** What was sent by a connection is counted from its beginning. */
    @Test
    void aNewSessionSendsAsMuchAsTheFirst() {
        sendAndReceive(3_000);
        newSession();
        sendAndReceive(3_000);
    }

    /** The oldest of a flow stays on its way; no more follow than its receiver keeps. */
    @Test
    void theWindowOfANewSessionBeginsWithIt() {
        sendAndReceive(3_000);
        newSession();
        pair.left.heldLane = 2;
        send(flow, 1, 4_096);
        int sent = 1;
        for (int step = 0; step < 10_000 && sent < 1_500; step++) {
            while (sent < 1_500 && pair.left.send(flow, sent, FULL) == SendResult.SENT) {
                sent++;
            }
            pair.step();
        }
        assertThat(sent).isLessThanOrEqualTo(OutFlow.WINDOW);
        assertThat(pair.right.engine.counters().get(Counter.FOREIGN)).isZero();
        pair.left.heldLane = -1;
        pair.run(100);
    }

    /** Headers of the first connection say what was taken: an answer at once needs no message more. */
    @Test
    void onTheFirstConnectionAllHaveOne() {
        send(flow, 1, 256);
        assertThat(pair.left.onTheWay(0)).containsExactly(HEAD + 256);
        pair.run(50);
        arrives(1, 256);
    }

    @Test
    void ofAFlowThatIsNotOpenItIsForeign() {
        isForeign(FULL, BareDescriptor.encode(17, 0, MessageDescriptor.LAST));
    }

    @Test
    void farAheadOfWhatCameItIsForeign() {
        send(flow, 1, FULL);
        pair.run(50);
        arrives(1, FULL);
        final long next = expected();
        isForeign(FULL, BareDescriptor.encode(flow.id(), next + OutFlow.WINDOW, MessageDescriptor.LAST));
    }

    @Test
    void beforeWhatCameItIsForeign() {
        final long next = expected();
        isForeign(FULL, BareDescriptor.encode(flow.id(), next - 1, MessageDescriptor.LAST));
    }

    @Test
    void longerThanItsClassItIsForeign() {
        final long next = expected();
        isForeign(FULL + 1, BareDescriptor.encode(flow.id(), next, MessageDescriptor.LAST));
    }

    /** As many messages as a peer may send at once are one datagram at most; what goes on has no end. */
    @Test
    void aDatagramThatDoesNotEndIsForeign() {
        for (int i = 0; i < SMALL.dataRecvBuffers(); i++) {
            pair.right.engine.arrivals().onImmediate(
                    pair.right.peer(), 1, pair.right.takeReceive(1), FULL,
                    BareDescriptor.encode(flow.id(), expected(), (byte) 0));
        }
        assertThat(pair.right.engine.counters().get(Counter.FOREIGN)).isZero();
        isForeign(FULL, BareDescriptor.encode(flow.id(), expected(), (byte) 0));
        assertThat(pair.right.peer().lastEnd()).isEqualTo(SessionEnd.FOREIGN);
        assertThat(pair.right.receive(to)).isNull();
    }

    private long expected() {
        return Objects.requireNonNull(pair.right.peer().flows().inFlow(flow.id())).expected();
    }

    private void isForeign(final int lengthBytes, final int immediate) {
        pair.right.engine.arrivals().onImmediate(
                pair.right.peer(), 1, pair.right.takeReceive(1), lengthBytes, immediate);
        assertThat(pair.right.engine.counters().get(Counter.FOREIGN)).isEqualTo(1);
        pair.left.peer().broken(SessionEnd.FOREIGN);
        pair.run(50);
        assertThat(pair.right.peer().state()).isNotEqualTo(PeerState.UP);
    }
}
