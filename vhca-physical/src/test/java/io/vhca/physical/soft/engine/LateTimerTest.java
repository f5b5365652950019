package io.vhca.physical.soft.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.api.WcStatus;
import io.vhca.api.WrOpcode;
import io.vhca.physical.soft.engine.TestPair.Completion;
import io.vhca.physical.soft.engine.core.NicCounter;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A process stood still while the answer came that a timer waits for: the answer counts, whoever goes on first. */
class LateTimerTest {
    private static final long PAUSE_NS = 100_000_000;
    private static final int BYTES = 64;

    private final TestPair pair = pair();
    private long pausedNs;

    private TestPair pair() {
        final TestPair.Options options = new TestPair.Options();
        options.retryCnt = 0;
        options.config.receiveBatch(2).inlineClock(() -> 1_000_000_000L + pausedNs);
        return new TestPair(options);
    }

    @AfterEach
    void close() {
        pair.close();
    }

    /** Its answer is at this end, unread, behind so many requests of the peer, and its timer has expired. */
    private void sendAndStandStill(final int requests) {
        pair.b.postRecv(1, 0, BYTES);
        for (int i = 0; i < requests; i++) {
            pair.a.postRecv(i, BYTES, BYTES);
            pair.b.post(pair.b.request(WrOpcode.SEND, i, 0, BYTES));
        }
        pair.a.post(pair.a.request(WrOpcode.SEND, 1, 0, BYTES));
        pair.b.nic.doWork(pair.now);
        assertThat(pair.link.a.inbox).hasSize(requests + 1);
        pausedNs = PAUSE_NS;
        pair.now += PAUSE_NS;
    }

    private void assertAnswered() {
        assertThat(pair.a.pollSends()).extracting(Completion::status).containsExactly(WcStatus.SUCCESS);
        assertThat(pair.a.count(NicCounter.TIMEOUTS)).isZero();
    }

    @Test
    void aPollTakesTheAnswerFirst() {
        sendAndStandStill(0);
        assertAnswered();
    }

    @Test
    void aPostTakesTheAnswerFirst() {
        sendAndStandStill(0);
        pair.b.postRecv(2, 0, BYTES);
        pair.a.post(pair.a.request(WrOpcode.RDMA_WRITE, 2, 0, BYTES).rdma(pair.b.addr(0), pair.b.mr.rkey()));
        assertThat(pair.a.count(NicCounter.TIMEOUTS)).isZero();
        assertAnswered();
    }

    @Test
    void theDevicesOwnThreadTakesAllThatCame() {
        sendAndStandStill(7);
        pair.a.nic.doWork(pair.now);
        assertAnswered();
    }

    @Test
    void aFloodKeepsNoTimerWaiting() {
        final int requests = 40;
        sendAndStandStill(requests);
        pair.a.nic.doWork(pair.now);
        assertThat(pair.a.count(NicCounter.TIMEOUTS)).isOne();
    }
}
