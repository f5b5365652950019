package io.vhca.rdp.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.rdp.common.RdpConfig;
import io.vhca.rdp.common.RdpCounters.Counter;
import io.vhca.rdp.engine.EnginePair.Node;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** When an end says how much it has taken. */
class GrantTest {
    private static final RdpConfig CONFIG = RdpConfig.DEFAULT;

    private final EnginePair pair = new EnginePair(1, CONFIG);

    @AfterEach
    void close() {
        pair.close();
    }

    private OutFlow open(final Node from, final Port port, final int destination) {
        final OutFlow flow = from.flow(port, destination);
        from.send(flow, 0, 0);
        for (int i = 0; i < 1_000 && flow.state() != OutFlow.State.OPEN; i++) {
            pair.step();
        }
        assertThat(flow.state()).isEqualTo(OutFlow.State.OPEN);
        return flow;
    }

    /** Each grant is a message of its own where the other end has nothing to send: not one for every few datagrams. */
    @Test
    void aStreamIsGrantedAQuarterOfTheReceivesAtATime() {
        final Port from = pair.left.bind(1);
        final Port to = pair.right.bind(2);
        final OutFlow flow = open(pair.left, from, 2);
        final long before = pair.right.engine.counters().get(Counter.TX_CONTROL);
        final int count = 40 * CONFIG.dataRecvBuffers();
        int sent = 0;
        for (int received = 0; received < count; pair.step()) {
            while (sent < count && pair.left.send(flow, sent, 8_000) == SendResult.SENT) {
                sent++;
            }
            while (pair.right.number(to) >= 0) {
                received++;
            }
        }
        assertThat(pair.right.engine.counters().get(Counter.TX_CONTROL) - before)
                .isBetween(40L, 4L * 40);
    }

    /** A datagram back says how much was taken, and is there before the stall: it lets nobody send more. */
    @Test
    void aGrantDoesNotOutrunAStall() {
        final Port from = pair.left.bind(1);
        final Port to = pair.right.bind(2);
        final OutFlow there = open(pair.left, from, 2);
        final OutFlow back = open(pair.right, to, 1);
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
