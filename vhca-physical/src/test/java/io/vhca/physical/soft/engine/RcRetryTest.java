package io.vhca.physical.soft.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.api.AsyncEventType;
import io.vhca.api.QpAttributes;
import io.vhca.api.QpState;
import io.vhca.api.ServiceClass;
import io.vhca.api.WcStatus;
import io.vhca.api.WrOpcode;
import io.vhca.physical.soft.engine.TestLink.Fate;
import io.vhca.physical.soft.engine.TestPair.Completion;
import io.vhca.physical.soft.engine.core.NicCounter;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Local ack timeout, retry_cnt, RNR NAK and rnr_retry, with their times. */
class RcRetryTest {
    private static final long RNR_12_NS = 640_000;

    private static long timeoutNs(final int timeout) {
        return (4_096L << timeout);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 3, 7})
    void silenceEndsInRetryExceededAfterExactlyItsTime(final int retryCnt) {
        final TestPair.Options options = new TestPair.Options();
        options.retryCnt = retryCnt;
        try (TestPair pair = new TestPair(options)) {
            pair.link.fates = (way, number, opcode) -> Fate.DROP;
            final long start = pair.now;
            pair.a.post(pair.a.request(WrOpcode.SEND, 1, 0, 1000));
            pair.a.post(pair.a.request(WrOpcode.SEND, 2, 0, 10));
            pair.a.postRecv(3, 0, 10);
            pair.settle();
            assertThat(pair.now - start).isEqualTo((retryCnt + 1) * timeoutNs(options.timeout));
            assertThat(pair.link.sent[TestLink.A_TO_B]).isEqualTo((retryCnt + 1) * 5);
            assertThat(pair.a.pollSends())
                    .extracting(Completion::status)
                    .containsExactly(WcStatus.RETRY_EXC_ERR, WcStatus.WR_FLUSH_ERR);
            assertThat(pair.a.pollReceives()).extracting(Completion::status).containsExactly(WcStatus.WR_FLUSH_ERR);
            assertThat(pair.a.qp.state()).isEqualTo(QpState.ERR);
        }
    }

    @Test
    void progressRenewsPatience() {
        final TestPair.Options options = new TestPair.Options();
        options.retryCnt = 1;
        try (TestPair pair = new TestPair(options)) {
            // Of every two packets the first is lost: each message needs one of its retries.
            pair.link.fates = (way, number, opcode) ->
                    way == TestLink.A_TO_B && number % 2 == 0 ? Fate.DROP : Fate.PASS;
            for (int i = 0; i < 10; i++) {
                pair.b.postRecv(i, 0, 10);
                pair.a.post(pair.a.request(WrOpcode.SEND, i, 0, 10));
                pair.settle();
            }
            assertThat(pair.a.pollSends()).hasSize(10).allMatch(c -> c.status() == WcStatus.SUCCESS);
            assertThat(pair.a.count(NicCounter.TIMEOUTS)).isEqualTo(10);
        }
    }

    @Test
    void timeoutZeroWaitsWithoutEnd() {
        final TestPair.Options options = new TestPair.Options();
        options.timeout = 0;
        try (TestPair pair = new TestPair(options)) {
            pair.link.fates = (way, number, opcode) -> Fate.DROP;
            pair.a.post(pair.a.request(WrOpcode.SEND, 1, 0, 10));
            pair.run();
            assertThat(pair.a.nic.nextDeadlineNs()).isEqualTo(Long.MAX_VALUE);
            assertThat(pair.a.qp.state()).isEqualTo(QpState.RTS);
        }
    }

    @Test
    void receiverNotReadyWaitsItsTimerAndGoesOn() {
        try (TestPair pair = new TestPair()) {
            pair.a.fill(0, 600, 1);
            final long start = pair.now;
            pair.a.post(pair.a.request(WrOpcode.SEND, 1, 0, 600));
            pair.a.post(pair.a.request(WrOpcode.SEND, 2, 0, 10));
            pair.run();
            assertThat(pair.a.nic.nextDeadlineNs()).isEqualTo(start + RNR_12_NS);
            assertThat(pair.b.count(NicCounter.RNR_NAKS_SENT)).isEqualTo(1);
            assertThat(pair.b.count(NicCounter.NAKS_SENT)).isZero();
            pair.b.postRecv(1, 1024, 600);
            pair.b.postRecv(2, 2048, 600);
            pair.run();
            assertThat(pair.a.pollSends()).isEmpty();
            pair.settle();
            assertThat(pair.now).isEqualTo(start + RNR_12_NS);
            assertThat(pair.a.pollSends()).hasSize(2).allMatch(c -> c.status() == WcStatus.SUCCESS);
            assertThat(pair.b.bytes(1024, 600)).isEqualTo(pair.a.bytes(0, 600));
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 6})
    void receiverNeverReadyEndsInRnrRetryExceeded(final int rnrRetry) {
        final TestPair.Options options = new TestPair.Options();
        options.rnrRetry = rnrRetry;
        try (TestPair pair = new TestPair(options)) {
            final long start = pair.now;
            pair.a.post(pair.a.request(WrOpcode.SEND, 1, 0, 10));
            pair.a.post(pair.a.request(WrOpcode.SEND, 2, 0, 10));
            pair.settle();
            assertThat(pair.now - start).isEqualTo(rnrRetry * RNR_12_NS);
            assertThat(pair.a.pollSends())
                    .extracting(Completion::status)
                    .containsExactly(WcStatus.RNR_RETRY_EXC_ERR, WcStatus.WR_FLUSH_ERR);
        }
    }

    @Test
    void rnrRetrySevenNeverEnds() {
        try (TestPair pair = new TestPair()) {
            pair.a.post(pair.a.request(WrOpcode.SEND, 1, 0, 10));
            for (int i = 0; i < 100; i++) {
                pair.run();
                pair.now = pair.a.nic.nextDeadlineNs();
            }
            assertThat(pair.b.count(NicCounter.RNR_NAKS_SENT)).isEqualTo(100);
            pair.b.postRecv(1, 0, 10);
            pair.settle();
            assertThat(pair.a.pollSends()).extracting(Completion::status).containsExactly(WcStatus.SUCCESS);
        }
    }

    @Test
    void writeWithImmediateWaitsForAReceiveToo() {
        try (TestPair pair = new TestPair()) {
            pair.a.fill(0, 600, 1);
            pair.a.post(pair.a.request(WrOpcode.RDMA_WRITE_WITH_IMM, 1, 0, 600)
                    .rdma(pair.b.addr(1024), pair.b.mr.rkey())
                    .immData(3));
            final List<String> told = new ArrayList<>();
            pair.a.nic.counters().traceTo((step, number, psn) -> told.add(step + " " + (number == pair.a.qp.qpNum())));
            pair.run();
            assertThat(pair.b.count(NicCounter.RNR_NAKS_SENT)).isEqualTo(1);
            pair.b.postRecv(4, 0, 0);
            pair.settle();
            assertThat(pair.b.bytes(1024, 600)).isEqualTo(pair.a.bytes(0, 600));
            assertThat(pair.b.pollReceives()).extracting(Completion::immData).containsExactly(3);
            assertThat(pair.a.count(NicCounter.RETRANSMITS)).isEqualTo(1);
            assertThat(told).containsExactly("RNR_NAK_RECEIVED true", "RETRANSMIT true");
        }
    }

    @Test
    void drainedSendQueueSaysSoAndGoesOn() {
        try (TestPair pair = new TestPair()) {
            for (int i = 0; i < 3; i++) {
                pair.b.postRecv(i, 0, 600);
            }
            pair.a.post(pair.a.request(WrOpcode.SEND, 1, 0, 600));
            pair.a.nic.doWork(pair.now);
            pair.a.qp.modify(new QpAttributes().qpState(QpState.SQD).enSqdAsyncNotify(1));
            pair.a.post(pair.a.request(WrOpcode.SEND, 2, 0, 600));
            pair.settle();
            assertThat(pair.a.eventTypes()).containsExactly(AsyncEventType.SQ_DRAINED);
            assertThat(pair.a.pollSends()).extracting(Completion::wrId).containsExactly(1L);
            pair.a.qp.modify(new QpAttributes().qpState(QpState.RTS));
            pair.settle();
            assertThat(pair.a.pollSends()).extracting(Completion::wrId).containsExactly(2L);
            assertThat(pair.a.eventTypes()).containsExactly(AsyncEventType.SQ_DRAINED);
        }
    }

    @Test
    void requestsTakeTheWayThatWasSetWhileDrained() {
        try (TestPair pair = new TestPair()) {
            pair.b.postRecv(1, 0, 600);
            pair.a.qp.modify(new QpAttributes().qpState(QpState.SQD));
            pair.a.nic.moveGid(1);
            pair.a.qp.modify(new QpAttributes().ah(ServiceClass.NONE.to(TestPair.GID_B, 1, 1)));
            pair.a.qp.modify(new QpAttributes().qpState(QpState.RTS));
            pair.a.post(pair.a.request(WrOpcode.SEND, 1, 0, 600));
            pair.settle();
            assertThat(pair.a.pollSends()).extracting(Completion::status).containsExactly(WcStatus.SUCCESS);
            assertThat(pair.a.count(NicCounter.DROP_PORT_CHANGED)).isZero();
        }
    }

    /** What is set while it is drained counts when it goes on, and not behind the next acknowledgement. */
    @Test
    void limitsThatWereSetWhileDrainedCountAtOnce() {
        final TestPair.Options options = new TestPair.Options();
        options.rnrRetry = 0;
        options.retryCnt = 0;
        try (TestPair pair = new TestPair(options)) {
            pair.a.qp.modify(new QpAttributes().qpState(QpState.SQD));
            pair.run();
            pair.a.qp.modify(new QpAttributes().qpState(QpState.SQD).rnrRetry(7).retryCnt(1));
            pair.a.qp.modify(new QpAttributes().qpState(QpState.RTS));
            pair.link.fates = (way, number, opcode) ->
                    way == TestLink.A_TO_B && number == 0 ? Fate.DROP : Fate.PASS;
            pair.a.post(pair.a.request(WrOpcode.SEND, 1, 0, 10));
            pair.run();
            pair.now = pair.a.nic.nextDeadlineNs();
            pair.run();
            assertThat(pair.b.count(NicCounter.RNR_NAKS_SENT)).isEqualTo(1);
            pair.b.postRecv(1, 0, 10);
            pair.settle();
            assertThat(pair.a.pollSends()).extracting(Completion::status).containsExactly(WcStatus.SUCCESS);
        }
    }
}
