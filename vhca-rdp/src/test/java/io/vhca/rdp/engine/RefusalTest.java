package io.vhca.rdp.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.rdp.common.RdpConfig;
import io.vhca.rdp.common.RdpCounters.Counter;
import io.vhca.rdp.wire.BareDescriptor;
import io.vhca.rdp.wire.ControlDescriptor;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Sends that are refused: which of them are for good, and who is told that he may try again. */
class RefusalTest {
    private static final long RETRY_NS = 100 * EnginePair.MS;

    private EnginePair pair = new EnginePair(1, RdpConfig.DEFAULT);

    @AfterEach
    void close() {
        pair.close();
    }

    /** What a node has no receives for waits for no turn: it would keep all that come after it waiting. */
    @Test
    void whatANodeHasTooFewReceivesForIsTooLongAndHoldsNobodyUp() {
        final Port to = pair.right.bind(2);
        final OutFlow flow = pair.open(pair.left, pair.left.bind(1), 2);
        final OutFlow other = pair.open(pair.left, pair.left.bind(3), 2);
        pair.left.engine.nodes().onHello(pair.left.peer(), 2, 4, 16, true);
        assertThat(pair.left.send(flow, 1, 200_000)).isEqualTo(SendResult.TOO_LONG);
        assertThat(pair.left.send(other, 2, 10_000)).isEqualTo(SendResult.SENT);
        pair.run(50);
        assertThat(pair.left.send(flow, 3, 4 * 32_768)).isEqualTo(SendResult.SENT);
        pair.run(50);
        assertThat(List.of(pair.right.number(to), pair.right.number(to))).containsExactly(2, 3);
    }

    @Test
    void whatThereAreTooFewSendBuffersForIsTooLong() {
        pair.close();
        pair = new EnginePair(1, RdpConfig.DEFAULT.with("MaxDataSendBuffers=3"));
        pair.right.bind(2);
        final OutFlow flow = pair.open(pair.left, pair.left.bind(1), 2);
        assertThat(pair.left.send(flow, 1, 3 * 32_768 + 1)).isEqualTo(SendResult.TOO_LONG);
        assertThat(pair.left.send(flow, 2, 3 * 32_768)).isEqualTo(SendResult.SENT);
    }

    /** The device locks no more memory: receives are withheld until there is some, and nothing is lost. */
    @Test
    void whatTheDeviceHasNoMemoryForStarvesAndGoesOn() {
        final Port to = pair.right.bind(2);
        final OutFlow flow = pair.open(pair.left, pair.left.bind(1), 2);
        pair.right.hasMemory = false;
        int sent = 0;
        for (int i = 0; i < 500; i++) {
            sent += pair.left.send(flow, sent, 1_000) == SendResult.SENT ? 1 : 0;
            pair.step();
        }
        assertThat(pair.right.engine.counters().get(Counter.RECEIVES_WITHHELD)).isPositive();
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

    /** A socket of the same node that takes nothing is closed: who waits for it tries again, and hears it. */
    @Test
    void whoWaitsForASocketOfTheSameNodeIsToldThatItIsClosed() {
        final int[] told = new int[1];
        final Port from = pair.left.bind(1, () -> told[0]++);
        final Port to = pair.left.bind(2);
        to.receiveLimit(32 << 10);
        final OutFlow flow = pair.left.engine.ports().flow(from, new InetSocketAddress(pair.left.address, 2));
        for (int i = 0; i < 3; i++) {
            assertThat(pair.left.send(flow, i, 9_000)).isEqualTo(SendResult.SENT);
        }
        assertThat(pair.left.send(flow, 3, 9_000)).isEqualTo(SendResult.WOULD_BLOCK);
        told[0] = 0;
        pair.left.engine.ports().close(to);
        assertThat(told[0]).isPositive();
        assertThat(pair.left.send(flow, 3, 9_000)).isEqualTo(SendResult.UNREACHABLE);
        assertThat(pair.left.engine.counters().get(Counter.STALLED_PORTS)).isZero();
    }

    /** Ids of flows have sixteen bits: one more than a node can tell apart would end the session of all others. */
    @Test
    void aFlowThatThereIsNoIdForIsOpenedWhenThereIsOne() {
        final OutFlow first = pair.left.flow(pair.left.bind(1), 1);
        pair.left.send(first, 0, 8);
        pair.step();
        assertThat(pair.left.peer().isUp()).isTrue();
        final List<OutFlow> waiting = new ArrayList<>();
        for (int port = 2; waiting.size() < 3; port++) {
            final Port from = pair.left.bind(port);
            for (int destination = 1; destination <= 256; destination++) {
                final OutFlow flow = pair.left.flow(from, destination);
                assertThat(pair.left.send(flow, 0, 8)).isEqualTo(SendResult.WOULD_BLOCK);
                if (flow.state() == OutFlow.State.CLOSED) {
                    waiting.add(flow);
                }
            }
        }
        final PeerFlows flows = pair.left.peer().flows();
        assertThat(flows.outFlow(BareDescriptor.MOST_FLOWS - 1)).isNotNull();
        assertThat(flows.outFlow(BareDescriptor.MOST_FLOWS)).isNull();
        assertThat(waiting).allMatch(OutFlow::isOpening);

        assertThat(pair.left.send(waiting.get(0), 0, 8)).as("it asks twice").isEqualTo(SendResult.WOULD_BLOCK);
        flows.close(waiting.get(1));
        for (final int id : List.of(5, 6)) {
            assertThat(flows.onAnswer(ControlDescriptor.FLOW_REFUSED, id)).isTrue();
            assertThat(flows.outFlow(id)).isSameAs(waiting.get(id == 5 ? 0 : 2));
        }
        assertThat(waiting).extracting(OutFlow::state)
                .startsWith(OutFlow.State.OPENING, OutFlow.State.CLOSED, OutFlow.State.OPENING);
    }

    /** Nothing comes back to a pool that never had a buffer: whoever waits for one looks again himself. */
    @Test
    void whoFindsNoMemoryToSendFromTriesAgain() {
        final int[] told = new int[1];
        final Port from = pair.left.bind(1, () -> told[0]++);
        final Port to = pair.right.bind(2);
        final OutFlow flow = pair.open(pair.left, from, 2);
        pair.run(50);
        assertToldOnceThereIsMemory(flow, told);
        pair.run(50);
        assertThat(pair.right.number(to)).isEqualTo(1);
    }

    @Test
    void whoFindsNoMemoryToSendToASocketOfTheSameNodeTriesAgain() {
        final int[] told = new int[1];
        final Port from = pair.left.bind(1, () -> told[0]++);
        final Port to = pair.left.bind(2);
        final OutFlow flow = pair.left.engine.ports().flow(from, new InetSocketAddress(pair.left.address, 2));
        assertToldOnceThereIsMemory(flow, told);
        assertThat(pair.left.number(to)).isEqualTo(1);
    }

    private void assertToldOnceThereIsMemory(final OutFlow flow, final int[] told) {
        pair.left.hasMemory = false;
        for (int i = 0; i < 3; i++) {
            assertThat(pair.left.send(flow, 1, 10_000)).isEqualTo(SendResult.NO_BUFFERS);
            assertThat(pair.left.engine.nextDeadlineNs()).isLessThanOrEqualTo(pair.nowNs + RETRY_NS);
            told[0] = 0;
            pair.nowNs += RETRY_NS;
            assertThat(pair.left.engine.doWork(pair.nowNs)).isPositive();
            assertThat(told[0]).as("look %d", i).isEqualTo(1);
            pair.left.engine.doWork(pair.nowNs + 1);
            assertThat(told[0]).as("nobody waits").isEqualTo(1);
        }
        pair.left.hasMemory = true;
        assertThat(pair.left.send(flow, 1, 10_000)).isEqualTo(SendResult.SENT);
        assertThat(pair.left.engine.nextDeadlineNs() - pair.nowNs).as("heartbeats alone").isGreaterThan(RETRY_NS);
    }

    /** Nobody reads what holds the buffers: those that are withheld are made when there is memory. */
    @Test
    void receivesThatWereWithheldForWantOfMemoryArePostedWhenThereIsSome() {
        pair.right.bind(2);
        final OutFlow flow = pair.open(pair.left, pair.left.bind(1), 2);
        pair.right.hasMemory = false;
        for (int i = 0; i < 500; i++) {
            pair.left.send(flow, i, 1_000);
            pair.step();
        }
        assertThat(pair.left.send(flow, 0, 1_000)).isEqualTo(SendResult.WOULD_BLOCK);
        pair.right.hasMemory = true;
        pair.nowNs += RETRY_NS;
        pair.run(50);
        assertThat(pair.left.send(flow, 0, 1_000)).isEqualTo(SendResult.SENT);
    }
}
