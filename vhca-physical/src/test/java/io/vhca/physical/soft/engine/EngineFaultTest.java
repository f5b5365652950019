package io.vhca.physical.soft.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.api.AsyncEventType;
import io.vhca.api.QpState;
import io.vhca.api.WcStatus;
import io.vhca.api.WrOpcode;
import io.vhca.physical.soft.engine.TestPair.Completion;
import io.vhca.physical.soft.engine.core.NicCounter;
import java.util.ArrayList;
import java.util.List;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * A defect of the engine's own costs the packet or the queue pair that it shows at, and is said once. The defect is
 * planted where the engine reports to its creator, in the middle of its work.
 */
class EngineFaultTest {
    /** Several packets. */
    private static final int MESSAGE = 8 * 1024;

    private final List<LogRecord> logged = new ArrayList<>();
    private final Logger logger = Logger.getLogger("io.vhca.physical.soft.engine.core.NicCounters");
    private final Handler handler = new Handler() {
        @Override
        public void publish(final LogRecord line) {
            logged.add(line);
        }

        @Override
        public void flush() {
            // Nothing is kept back.
        }

        @Override
        public void close() {
            // Nothing is open.
        }
    };

    /** Things that may be thrown. */
    private static List<Runnable> defects() {
        return List.of(
                () -> {
                    throw new IllegalStateException("planted");
                },
                () -> {
                    throw new AssertionError("planted");
                },
                () -> {
                    throw new StackOverflowError("planted");
                });
    }

    @BeforeEach
    void listen() {
        logger.setUseParentHandlers(false);
        logger.addHandler(handler);
    }

    @AfterEach
    void unlisten() {
        logger.removeHandler(handler);
        logger.setUseParentHandlers(true);
    }

    private static void sendOne(final TestPair pair, final int wrId) {
        pair.b.postRecv(wrId, 0, 64);
        pair.a.post(pair.a.request(WrOpcode.SEND, wrId, 0, 64));
        pair.settle();
        assertThat(pair.a.pollSends()).extracting(Completion::status).containsExactly(WcStatus.SUCCESS);
        assertThat(pair.b.pollReceives()).extracting(Completion::wrId).containsExactly((long) wrId);
    }

    @Test
    void aPacketThatTheEngineFailsAtIsDroppedCountedAndSaidOnce() {
        for (final Runnable defect : defects()) {
            logged.clear();
            try (TestPair pair = new TestPair()) {
                pair.b.onReport = defect;
                for (int i = 0; i < 3; i++) {
                    pair.a.nic.sendMad(TestPair.GID_B, pair.arena.allocate(256, 8).address());
                    pair.run();
                }
                assertThat(pair.b.count(NicCounter.PACKET_FAULTS)).isEqualTo(3);
                assertThat(pair.b.mads).isEmpty();
                assertThat(logged).hasSize(1);
                assertThat(logged.getFirst().getThrown()).hasMessage("planted");
                pair.b.onReport = () -> {};
                sendOne(pair, 1);
            }
        }
    }

    @Test
    void theRestOfABatchIsNotLostWithThePacketThatFailed() {
        try (TestPair pair = new TestPair()) {
            pair.b.onReport = defects().getFirst();
            pair.a.nic.sendMad(TestPair.GID_B, pair.arena.allocate(256, 8).address());
            pair.b.postRecv(1, 0, 64);
            pair.a.post(pair.a.request(WrOpcode.SEND, 1, 0, 64));
            pair.run();
            assertThat(pair.b.count(NicCounter.PACKET_FAULTS)).isEqualTo(1);
            assertThat(pair.b.pollReceives()).hasSize(1);
            assertThat(pair.a.count(NicCounter.RETRANSMITS)).isZero();
        }
    }

    @Test
    void aQueuePairThatTheEngineFailsAtIsLostAndNothingElse() {
        for (final Runnable defect : defects()) {
            try (TestPair pair = new TestPair()) {
                final SoftQp bad = pair.a.pd.createQp(pair.rc(pair.a));
                pair.connect(bad, TestPair.GID_B, pair.b.qp.qpNum(), 1, 1, TestPair.ALL_ACCESS);
                pair.run();
                // Its key is unknown: the send fails in the queue pair's turn, and the armed CQ reports it.
                pair.a.sendCq.reqNotify(false);
                pair.a.onReport = defect;
                assertThat(bad.postSend(pair.a.request(WrOpcode.SEND, 1, 0, 64).sge(pair.a.addr(0), 64, 0)))
                        .isEqualTo(1);
                pair.run();
                pair.a.onReport = () -> {};
                assertThat(pair.a.count(NicCounter.QP_FAULTS)).isPositive();
                assertThat(bad.state()).isEqualTo(QpState.ERR);
                assertThat(pair.a.eventTypes()).contains(AsyncEventType.QP_FATAL);
                pair.a.pollSends();
                sendOne(pair, 2);
                bad.close();
            }
        }
    }

    @Test
    void aTimerThatTheEngineFailsAtCostsItsQueuePair() {
        try (TestPair pair = new TestPair()) {
            pair.link.fates = (direction, number, opcode) -> TestLink.Fate.DROP;
            pair.a.sendCq.reqNotify(false);
            pair.a.onReport = defects().getFirst();
            pair.a.post(pair.a.request(WrOpcode.SEND, 1, 0, 64));
            pair.settle();
            assertThat(pair.a.count(NicCounter.QP_FAULTS)).isPositive();
            assertThat(pair.a.qp.state()).isEqualTo(QpState.ERR);
            assertThat(pair.a.nic.isDead()).isFalse();
        }
    }

    /** Its sender sends it again, to a receiver that had taken half of it. */
    @Test
    void aPacketThatAQueuePairFailsAtCompletesNothingTwice() {
        for (final Runnable defect : defects()) {
            try (TestPair pair = new TestPair()) {
                pair.b.recvCq.reqNotify(false);
                pair.b.onReport = defect;
                pair.b.postRecv(1, 0, MESSAGE);
                pair.b.postRecv(2, 0, MESSAGE);
                pair.a.post(pair.a.request(WrOpcode.SEND, 1, 0, MESSAGE - 1));
                pair.run();
                pair.b.onReport = () -> {};
                pair.settle();
                assertThat(pair.b.pollReceives()).extracting(Completion::wrId).containsExactly(1L, 2L);
                assertThat(pair.b.qp.state()).isEqualTo(QpState.ERR);
                assertThat(pair.b.count(NicCounter.QP_FAULTS)).isPositive();
            }
        }
    }
}
