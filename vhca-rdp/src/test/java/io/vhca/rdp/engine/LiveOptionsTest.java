package io.vhca.rdp.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.rdp.common.RdpConfig;
import io.vhca.rdp.common.RdpConfigParser;
import io.vhca.rdp.common.RdpCounters.Counter;
import io.vhca.rdp.engine.EnginePair.Node;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Options that change while sockets are open and datagrams are on their way. */
class LiveOptionsTest {
    private static final RdpConfig CONFIG = RdpConfigParser.parse(Map.of(
            "SizeClasses", "256,1024,4096", "MaxDataRecvBuffers", "8", "MaxCtrlRecvBuffers", "4", "UserBufferSize",
            "20000", "MaxRecvMemory", "200000"));

    private final EnginePair pair = new EnginePair(1, CONFIG);
    private final Node left = pair.left;
    private final Node right = pair.right;
    private final Port from = left.bind(1);
    private final Port to = right.bind(2);
    private final OutFlow flow = left.flow(from, 2);

    @BeforeEach
    void open() {
        left.send(flow, 0, 0);
        for (int i = 0; i < 1_000 && !flow.isOpen(); i++) {
            pair.step();
        }
    }

    @AfterEach
    void close() {
        pair.close();
    }

    private static void change(final Node node, final String assignment) {
        node.engine.change(RdpConfigParser.change(node.engine.config(), assignment));
    }

    /** Sends until nothing more is taken; how many were. */
    private int fill() {
        int sent = 0;
        int refused = 0;
        while (refused < 200) {
            final boolean isTaken = left.send(flow, sent, 1_000) == SendResult.SENT;
            sent += isTaken ? 1 : 0;
            refused = isTaken ? 0 : refused + 1;
            pair.step();
        }
        return sent;
    }

    private long gauge(final Node node, final Counter counter) {
        return node.engine.counters().get(counter);
    }

    @Test
    void aHigherMarkReleasesWhoWaits() {
        fill();
        assertThat(to.isStalled()).isTrue();
        assertThat(gauge(right, Counter.STALLED_PORTS)).isEqualTo(1);
        // All of what it holds is below the new low mark.
        change(right, "PendingRxPktsHWM=100");
        change(right, "DataRecvBufferLWM=99");
        pair.run(50);
        assertThat(to.isStalled()).isFalse();
        assertThat(gauge(right, Counter.STALLED_PORTS)).isZero();
        assertThat(fill()).isPositive();
    }

    @Test
    void aLowerMarkStallsAtOnce() {
        for (int i = 0; i < 5; i++) {
            assertThat(left.send(flow, i, 1_000)).isEqualTo(SendResult.SENT);
        }
        pair.run(50);
        assertThat(to.isStalled()).isFalse();
        change(right, "DataRecvBufferLWM=1");
        change(right, "PendingRxPktsHWM=5");
        pair.run(50);
        assertThat(left.send(flow, 6, 1_000)).isEqualTo(SendResult.WOULD_BLOCK);
        assertThat(gauge(left, Counter.STALLS_RECEIVED)).isEqualTo(1);
    }

    @Test
    void moreReceiveMemoryIsUsedAtOnce() {
        // More than its share, so that buffers are what ends.
        to.receiveLimit(10 << 20);
        final int before = fill();
        assertThat(gauge(right, Counter.RECEIVES_WITHHELD)).isPositive();
        assertThat(left.send(flow, 0, 1_000)).isEqualTo(SendResult.WOULD_BLOCK);
        change(right, "MaxRecvMemory=2000000");
        pair.run(50);
        assertThat(fill()).isGreaterThan(100);
        assertThat(before).isPositive();
    }

    private static SendResult send(final Node by, final OutFlow on, final @Nullable MemorySegment inPlace) {
        return inPlace == null ? by.send(on, 1, 1_000) : by.sendInPlace(on, inPlace, 1);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void moreSendBuffersAreUsedAtOnce(final boolean isInPlace) {
        final EnginePair few = new EnginePair(1, CONFIG.with("MaxDataSendBuffers=2").with("InPlaceSize=300"));
        few.readsBatches = false;
        few.right.bind(2);
        final OutFlow open = few.open(few.left, few.left.bind(1), 2);
        few.run(50);
        try (Arena arena = Arena.ofConfined()) {
            final MemorySegment inPlace = isInPlace ? arena.allocate(1_000) : null;
            assertThat(send(few.left, open, inPlace)).isEqualTo(SendResult.SENT);
            assertThat(send(few.left, open, inPlace)).isEqualTo(SendResult.SENT);
            assertThat(send(few.left, open, inPlace)).isEqualTo(SendResult.NO_BUFFERS);
            change(few.left, "MaxDataSendBuffers=8");
            assertThat(send(few.left, open, inPlace)).isEqualTo(SendResult.SENT);
            few.close();
        }
    }

    @Test
    void sizesAndTimesHoldFromThenOn() {
        change(left, "MaxMessageSize=500");
        assertThat(left.send(flow, 1, 501)).isEqualTo(SendResult.TOO_LONG);
        change(left, "UserBufferSize=400");
        assertThat(left.bind(9).sendLimit()).isEqualTo(400);
        assertThat(from.sendLimit()).isEqualTo(20_000);
        change(left, "MaxDataSendBuffers=1");
        change(left, "InPlaceSize=7");
        assertThat(left.engine.config().inPlaceBytes()).isEqualTo(7);
        final long beats = gauge(left, Counter.TX_CONTROL);
        final long beganNs = pair.nowNs;
        change(left, "Heartbeat=1");
        while (pair.nowNs - beganNs < 20 * EnginePair.MS) {
            pair.step();
        }
        assertThat(gauge(left, Counter.TX_CONTROL) - beats).isGreaterThan(10);
    }

    @Test
    void socketsAndNodesAreCounted() {
        assertThat(gauge(left, Counter.SOCKETS)).isEqualTo(1);
        final Port other = left.bind(5);
        assertThat(gauge(left, Counter.SOCKETS)).isEqualTo(2);
        left.engine.ports().close(other);
        assertThat(gauge(left, Counter.SOCKETS)).isEqualTo(1);
        assertThat(gauge(left, Counter.END_NODES)).isEqualTo(1);
        fill();
        right.engine.ports().close(to);
        assertThat(gauge(right, Counter.STALLED_PORTS)).isZero();
    }
}
