package io.vhca.rdp.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.rdp.common.RdpConfig;
import io.vhca.rdp.common.RdpCounters.Counter;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** When an end says how much it has taken, and whom the other end tells of it. */
class GrantTest {
    private static final RdpConfig CONFIG = RdpConfig.DEFAULT;

    private final EnginePair pair = new EnginePair(1, CONFIG);

    @AfterEach
    void close() {
        pair.close();
    }

    /** Each grant is a message of its own where the other end has nothing to send: not one for every few datagrams. */
    @Test
    void aStreamIsGrantedAQuarterOfTheReceivesAtATime() {
        final Port from = pair.left.bind(1);
        final Port to = pair.right.bind(2);
        final OutFlow flow = pair.open(pair.left, from, 2);
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

    /** Who lacked credits is told of them, but not while the port there takes nothing: then of the stall's end. */
    @Test
    void creditsAreNoReasonToTryAStalledPort() {
        final Port to = pair.right.bind(2);
        final int[] told = new int[1];
        final OutFlow many = pair.open(pair.left, pair.left.bind(1), 2);
        final OutFlow one = pair.open(pair.left, pair.left.bind(3, () -> told[0]++), 2);
        pair.run(50);
        to.receiveLimit(4_000);
        for (int i = 0; i < CONFIG.dataRecvBuffers(); i++) {
            assertThat(pair.left.send(many, i, 1_000)).isEqualTo(SendResult.SENT);
        }
        assertThat(pair.left.send(one, 0, 1_000)).isEqualTo(SendResult.WOULD_BLOCK);
        told[0] = 0;
        pair.run(50);
        assertThat(to.isStalled()).isTrue();
        assertThat(many.isStalled()).isTrue();
        assertThat(told[0]).isZero();
        while (pair.right.number(to) >= 0) {
            pair.step();
        }
        pair.run(50);
        assertThat(told[0]).isPositive();
        assertThat(pair.left.send(one, 0, 1_000)).isEqualTo(SendResult.SENT);
    }

    /** A grant that nobody waits for by a turn tells whom the reorder window refused, and lets him go on. */
    @Test
    void whoIsAtTheEndOfHisWindowIsToldOfAGrant() {
        final int[] told = new int[1];
        pair.right.bind(2).receiveLimit(1 << 30);
        final OutFlow flow = pair.open(pair.left, pair.left.bind(1, () -> told[0]++), 2);
        pair.run(50);
        int sent = 0;
        while (pair.left.send(flow, sent, 8) == SendResult.SENT) {
            sent++;
        }
        assertThat(sent).isEqualTo(OutFlow.WINDOW);
        for (int turn = 0; turn < 2; turn++) {
            while (pair.left.deliver()) {
                // All that was taken.
            }
            pair.left.engine.doWork(pair.nowNs);
        }
        told[0] = 0;
        assertThat(pair.left.send(flow, sent, 8)).isEqualTo(SendResult.WOULD_BLOCK);
        assertThat(told[0]).isZero();
        pair.right.engine.doWork(pair.nowNs + EnginePair.MS);
        while (pair.right.deliver()) {
            // The grant.
        }
        assertThat(told[0]).isPositive();
        assertThat(pair.left.send(flow, sent, 8)).isEqualTo(SendResult.SENT);
    }
}
