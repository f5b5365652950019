package io.vhca.rdp.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.rdp.common.RdpConfig;
import io.vhca.rdp.common.RdpCounters.Counter;
import java.lang.foreign.Arena;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What is lost and dropped is counted in datagrams, however many messages they took. */
class DatagramCountsTest {
    private static final int SHORT = 20;
    /** Of three segments. */
    private static final int LONG = 10_000;

    private final EnginePair pair = new EnginePair(1, new RdpConfig(
            List.of(256, 1_024, 4_096), 16, 8, 64, 64 << 10, 64 << 10, 75, 25, 64L << 20,
            TimeUnit.SECONDS.toNanos(1), TimeUnit.SECONDS.toNanos(5), TimeUnit.SECONDS.toNanos(2),
            TimeUnit.SECONDS.toNanos(4), 18_634, 8, 300, 1 << 20));
    private final Arena arena = Arena.ofShared();
    private final Port from = pair.left.bind(1);
    private final Port to = pair.right.bind(2);
    private final OutFlow flow = pair.left.flow(from, 2);

    @BeforeEach
    void open() {
        pair.open(flow, to);
    }

    @AfterEach
    void close() {
        assertThat(pair.left.engine.missingBuffers()).isZero();
        assertThat(pair.right.engine.missingBuffers()).isZero();
        pair.close();
        arena.close();
    }

    private void send(final int count, final int lengthBytes) {
        for (int i = 0; i < count; i++) {
            assertThat(pair.left.send(flow, i, lengthBytes)).isEqualTo(SendResult.SENT);
        }
    }

    private void turn() {
        pair.left.engine.doWork(pair.nowNs);
    }

    private long lost() {
        pair.isCut = true;
        pair.left.engine.nodes().onDown(pair.left.peer());
        pair.step();
        assertThat(pair.left.send(flow, 0, SHORT)).isEqualTo(SendResult.UNREACHABLE);
        return pair.left.engine.counters().get(Counter.TX_LOST);
    }

    private long dropped() {
        pair.right.engine.ports().close(to);
        pair.run(100);
        return pair.right.engine.counters().get(Counter.RX_DROPPED);
    }

    @Test
    void aLostDatagramOfSeveralMessagesIsOne() {
        send(1, LONG);
        assertThat(pair.left.onTheWay(2)).hasSize(3);
        assertThat(lost()).isEqualTo(1);
    }

    @Test
    void eachOfALostMessageCounts() {
        send(11, SHORT);
        turn();
        assertThat(pair.left.onTheWay(0)).hasSize(1);
        assertThat(pair.left.onTheWay(1)).hasSize(1);
        assertThat(lost()).isEqualTo(11);
    }

    @Test
    void soDoesEachOfAMessageThatWaited() {
        send(4, SHORT);
        send(1, 1_000);
        send(3, SHORT);
        assertThat(pair.left.onTheWay(1)).hasSize(2);
        assertThat(lost()).isEqualTo(8);
    }

    @Test
    void whatWasConfirmedIsNotLost() {
        send(11, SHORT);
        send(2, LONG);
        pair.run(100);
        assertThat(to.pending()).isEqualTo(13);
        send(3, SHORT);
        send(1, LONG);
        assertThat(lost()).isEqualTo(4);
    }

    @Test
    void aDatagramThatIsWrittenIntoMemoryIsLostAndDroppedAsOne() {
        final long memory = arena.allocate(2L * LONG, 64).address();
        final InetSocketAddress sender = new InetSocketAddress(pair.left.address, 1);
        to.offers().offer(memory, LONG, sender, 1);
        to.offers().offer(memory + LONG, LONG, sender, 2);
        pair.run(50);
        assertThat(pair.left.engine.directedSender().send(flow, memory, LONG, 1, 7)).isEqualTo(SendResult.SENT);
        assertThat(dropped()).isEqualTo(1);
        assertThat(pair.left.engine.counters().get(Counter.TX_LOST)).isZero();
    }

    @Test
    void aDroppedDatagramOfSeveralMessagesIsOne() {
        send(2, LONG);
        assertThat(dropped()).isEqualTo(2);
    }

    /** Its first segment was there when its socket was closed. */
    @Test
    void aDatagramThatIsDroppedByPartsIsOne() {
        send(1, LONG);
        assertThat(pair.left.deliver()).isTrue();
        assertThat(dropped()).isEqualTo(1);
    }

    @Test
    void eachOfADroppedMessageCounts() {
        send(11, SHORT);
        turn();
        assertThat(dropped()).isEqualTo(11);
    }
}
