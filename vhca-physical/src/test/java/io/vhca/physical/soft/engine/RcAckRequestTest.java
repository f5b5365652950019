package io.vhca.physical.soft.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.api.AsyncEventType;
import io.vhca.api.QpAttributes;
import io.vhca.api.QpState;
import io.vhca.api.SendFlags;
import io.vhca.api.WcStatus;
import io.vhca.api.WrOpcode;
import io.vhca.physical.soft.engine.TestLink.Fate;
import io.vhca.physical.soft.engine.TestPair.Completion;
import io.vhca.physical.soft.engine.core.NicCounter;
import io.vhca.physical.soft.engine.rc.RcTransport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Which packets ask for an acknowledgement, and when those are told of that do not. */
class RcAckRequestTest {
    private static final int WRITTEN = 8 * 1024;
    private static final int BYTES = 100;

    private static TestPair pair(final TestPair.Options options) {
        options.sqSigAll = false;
        return new TestPair(options);
    }

    private static TestPair pair() {
        return pair(new TestPair.Options());
    }

    private static void write(final TestPair pair, final long wrId, final int flags) {
        pair.a.post(pair.a.request(WrOpcode.RDMA_WRITE, wrId, 0, BYTES)
                .rdma(pair.b.addr(WRITTEN), pair.b.mr.rkey())
                .sendFlags(flags));
    }

    @Test
    void unsignaledMessagesAskForNoneAndAreToldOfTogetherAfterTheDelay() {
        try (TestPair pair = pair()) {
            pair.a.fill(0, BYTES, 1);
            final long start = pair.now;
            for (int i = 0; i < 3; i++) {
                write(pair, i, 0);
            }
            pair.run();
            assertThat(pair.link.ackRequests.get(TestLink.A_TO_B)).containsExactly(false, false, false);
            assertThat(pair.link.sent[TestLink.B_TO_A]).isZero();
            assertThat(pair.b.bytes(WRITTEN, BYTES)).isEqualTo(pair.a.bytes(0, BYTES));

            pair.settle();
            assertThat(pair.now - start).isEqualTo(RcTransport.ACK_DELAY_NS);
            assertThat(pair.link.sent[TestLink.B_TO_A]).isEqualTo(1);
            assertThat(pair.link.sent[TestLink.A_TO_B]).isEqualTo(3);
            assertThat(pair.a.count(NicCounter.TIMEOUTS)).isZero();
            assertThat(pair.a.pollSends()).isEmpty();
        }
    }

    private static void end(final TestPair pair, final String how) {
        switch (how) {
            case "ERR" -> pair.b.qp.modify(new QpAttributes().qpState(QpState.ERR));
            case "RESET" -> pair.b.qp.modify(new QpAttributes().qpState(QpState.RESET));
            default -> pair.b.qp.close();
        }
    }

    /** Who ends its queue pair because of the last message does not leave the sender to its retries. */
    @ParameterizedTest
    @ValueSource(strings = {"ERR", "RESET", "destroyed"})
    void whatWasReceivedIsAcknowledgedWhenItsQueuePairEnds(final String how) {
        try (TestPair pair = pair()) {
            write(pair, 1, 0);
            pair.run();
            assertThat(pair.link.sent[TestLink.B_TO_A]).isZero();
            end(pair, how);
            pair.run();
            assertThat(pair.link.sent[TestLink.B_TO_A]).isEqualTo(1);
            pair.settle();
            assertThat(pair.a.count(NicCounter.TIMEOUTS)).isZero();
            assertThat(pair.link.sent[TestLink.A_TO_B]).isEqualTo(1);
        }
    }

    /** The peer has it, and would say so too late. */
    @ParameterizedTest
    @CsvSource({"8, 0", "9, 3", "14, 0"})
    void unsignaledMessageAsksWhereItCannotWait(final int timeout, final int retryCnt) {
        final TestPair.Options options = new TestPair.Options();
        options.timeout = timeout;
        options.retryCnt = retryCnt;
        try (TestPair pair = pair(options)) {
            write(pair, 1, 0);
            pair.run();
            assertThat(pair.link.ackRequests.get(TestLink.A_TO_B)).containsExactly(true);
            pair.settle();
            assertThat(pair.a.count(NicCounter.TIMEOUTS)).isZero();
            assertThat(pair.a.pollSends()).isEmpty();
        }
    }

    @Test
    void signaledMessageIsAnsweredAtOnceForAllBeforeIt() {
        try (TestPair pair = pair()) {
            write(pair, 1, 0);
            write(pair, 2, SendFlags.SIGNALED);
            pair.run();
            assertThat(pair.link.ackRequests.get(TestLink.A_TO_B)).containsExactly(false, true);
            assertThat(pair.a.pollSends()).extracting(Completion::wrId).containsExactly(2L);

            pair.settle();
            assertThat(pair.link.sent[TestLink.B_TO_A]).isEqualTo(1);
        }
    }

    @Test
    void messagesThatLeaveTogetherAskWithTheLastOfThem() {
        try (TestPair pair = new TestPair()) {
            write(pair, 1, 0);
            write(pair, 2, 0);
            pair.run();
            write(pair, 3, 0);
            pair.run();
            assertThat(pair.link.ackRequests.get(TestLink.A_TO_B)).containsExactly(false, true, true);
            assertThat(pair.a.pollSends()).extracting(Completion::wrId).containsExactly(1L, 2L, 3L);
            assertThat(pair.link.sent[TestLink.B_TO_A]).isEqualTo(2);
        }
    }

    @Test
    void unsignaledMessageAsksForTheSignaledOneThatItFollows() {
        try (TestPair pair = pair()) {
            write(pair, 1, SendFlags.SIGNALED);
            write(pair, 2, 0);
            pair.run();
            write(pair, 3, 0);
            pair.run();
            assertThat(pair.link.ackRequests.get(TestLink.A_TO_B)).containsExactly(false, true, false);
            assertThat(pair.a.pollSends()).extracting(Completion::wrId).containsExactly(1L);
        }
    }

    /** A request that may have to wait for others is no reason to let those before it wait. */
    @Test
    void messageBeforeAReadOrAFencedOneAsksForItself() {
        try (TestPair pair = pair()) {
            write(pair, 1, SendFlags.SIGNALED);
            pair.a.post(pair.a.request(WrOpcode.RDMA_READ, 2, 0, BYTES)
                    .rdma(pair.b.addr(WRITTEN), pair.b.mr.rkey()));
            write(pair, 3, SendFlags.SIGNALED);
            write(pair, 4, SendFlags.SIGNALED | SendFlags.FENCE);
            pair.run();
            // The READ between them never asks; its response is its answer.
            assertThat(pair.link.ackRequests.get(TestLink.A_TO_B)).containsExactly(true, false, true, true);
            assertThat(pair.a.pollSends()).extracting(Completion::wrId).containsExactly(1L, 2L, 3L, 4L);
        }
    }

    @Test
    void portWithARateAsksWithEachMessage() {
        final TestPair.Options options = new TestPair.Options();
        options.config.rateMbps(100_000);
        try (TestPair pair = new TestPair(options)) {
            write(pair, 1, 0);
            write(pair, 2, 0);
            pair.settle();
            assertThat(pair.link.ackRequests.get(TestLink.A_TO_B)).containsExactly(true, true);
        }
    }

    @Test
    void lostUnsignaledMessageIsSentAgainAndAsks() {
        final TestPair.Options options = new TestPair.Options();
        try (TestPair pair = pair(options)) {
            pair.a.fill(0, BYTES, 5);
            pair.link.fates = (way, number, opcode) -> way == TestLink.A_TO_B && number == 0 ? Fate.DROP : Fate.PASS;
            final long start = pair.now;
            write(pair, 1, 0);
            pair.settle();
            assertThat(pair.now - start).isEqualTo(4_096L << options.timeout);
            assertThat(pair.link.ackRequests.get(TestLink.A_TO_B)).containsExactly(false, true);
            assertThat(pair.b.bytes(WRITTEN, BYTES)).isEqualTo(pair.a.bytes(0, BYTES));
            assertThat(pair.link.sent[TestLink.B_TO_A]).isEqualTo(1);
        }
    }

    @Test
    void lostLateAcknowledgementIsAskedFor() {
        try (TestPair pair = pair()) {
            pair.link.fates = (way, number, opcode) -> way == TestLink.B_TO_A && number == 0 ? Fate.DROP : Fate.PASS;
            write(pair, 1, 0);
            pair.settle();
            assertThat(pair.link.ackRequests.get(TestLink.A_TO_B)).containsExactly(false, true);
            assertThat(pair.b.count(NicCounter.DUPLICATES)).isEqualTo(1);
            assertThat(pair.a.nic.nextDeadlineNs()).isEqualTo(Long.MAX_VALUE);
        }
    }

    @Test
    void longRunOfUnsignaledMessagesAsksOnceAQuarterOfTheWindow() {
        final TestPair.Options options = new TestPair.Options();
        options.config.windowPackets(16);
        try (TestPair pair = pair(options)) {
            for (int i = 0; i < 12; i++) {
                write(pair, i, 0);
            }
            pair.run();
            assertThat(pair.link.ackRequests.get(TestLink.A_TO_B))
                    .containsExactly(
                            false, false, false, true, false, false, false, true, false, false, false, true);
            assertThat(pair.a.nic.nextDeadlineNs()).isEqualTo(Long.MAX_VALUE);
        }
    }

    /** Its peer answers only who asks, or after a delay. */
    @Test
    void aDrainedSendQueueAsksForWhatNobodyAskedFor() {
        try (TestPair pair = pair()) {
            final long start = pair.now;
            write(pair, 1, 0);
            pair.run();
            drain(pair);
            assertThat(pair.a.eventTypes()).containsExactly(AsyncEventType.SQ_DRAINED);
            assertThat(pair.now).isEqualTo(start);
            assertThat(pair.link.ackRequests.get(TestLink.A_TO_B)).containsExactly(false, true);
            assertThat(pair.b.count(NicCounter.DUPLICATES)).isEqualTo(1);
        }
    }

    /** What its response answers for, or what has asked, is not sent again. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aDrainedSendQueueAsksForNothingTwice(final boolean endsWithRead) {
        try (TestPair pair = pair()) {
            write(pair, 1, 0);
            if (endsWithRead) {
                pair.a.post(pair.a.request(WrOpcode.RDMA_READ, 2, 0, BYTES)
                        .rdma(pair.b.addr(WRITTEN), pair.b.mr.rkey())
                        .sendFlags(SendFlags.SIGNALED));
            } else {
                write(pair, 2, SendFlags.SIGNALED);
            }
            pair.a.nic.doWork(pair.now);
            drain(pair);
            assertThat(pair.a.eventTypes()).containsExactly(AsyncEventType.SQ_DRAINED);
            assertThat(pair.a.count(NicCounter.RETRANSMITS)).isZero();
            assertThat(pair.a.pollSends()).extracting(Completion::wrId).containsExactly(2L);
        }
    }

    private static void drain(final TestPair pair) {
        pair.a.qp.modify(new QpAttributes().qpState(QpState.SQD).enSqdAsyncNotify(1));
        pair.run();
    }

    /** Without a turn between, as on a port whose rate is used up. */
    @Test
    void aSendQueueThatDrainsAgainSaysSoAgain() {
        try (TestPair pair = pair()) {
            final QpAttributes drain = new QpAttributes().qpState(QpState.SQD).enSqdAsyncNotify(1);
            pair.a.qp.modify(drain);
            pair.settle();
            pair.a.qp.modify(new QpAttributes().qpState(QpState.RTS));
            pair.a.qp.modify(drain);
            pair.settle();
            assertThat(pair.a.eventTypes())
                    .containsExactly(AsyncEventType.SQ_DRAINED, AsyncEventType.SQ_DRAINED);
        }
    }

    /** Nor where it is moved to SQD once more, with what is changed there. */
    @Test
    void aDrainIsSaidOnceHoweverOftenSomethingIsSetMeanwhile() {
        try (TestPair pair = pair()) {
            drain(pair);
            pair.a.qp.modify(new QpAttributes().qpState(QpState.SQD).minRnrTimer(3));
            pair.settle();
            assertThat(pair.a.eventTypes()).containsExactly(AsyncEventType.SQ_DRAINED);
        }
    }

    /** Without retries, an acknowledgement that is put off may come too late. */
    @Test
    void eachMessageAsksForOneFromWhenRetriesWereTakenAway() {
        try (TestPair pair = pair()) {
            drain(pair);
            pair.a.qp.modify(new QpAttributes().retryCnt(0));
            pair.a.qp.modify(new QpAttributes().qpState(QpState.RTS));
            write(pair, 1, 0);
            pair.run();
            assertThat(pair.link.ackRequests.get(TestLink.A_TO_B)).containsExactly(true);
        }
    }

    @Test
    void aDrainThatDoesNotAskForItIsNotSaidThoughTheOneBeforeDid() {
        try (TestPair pair = pair()) {
            pair.a.qp.modify(new QpAttributes().qpState(QpState.SQD).enSqdAsyncNotify(1));
            pair.settle();
            pair.a.qp.modify(new QpAttributes().qpState(QpState.RTS));
            pair.a.qp.modify(new QpAttributes().qpState(QpState.SQD));
            pair.settle();
            assertThat(pair.a.eventTypes()).containsExactly(AsyncEventType.SQ_DRAINED);
        }
    }

    /** What is behind it asks for nobody: it is refused. */
    @Test
    void aMessageBeforeOneThatIsRefusedAsks() {
        try (TestPair pair = pair()) {
            final long start = pair.now;
            write(pair, 1, SendFlags.SIGNALED);
            pair.a.post(pair.a.request(WrOpcode.RDMA_WRITE, 2, 0, BYTES)
                    .sge(pair.a.addr(0), BYTES, 0)
                    .rdma(pair.b.addr(WRITTEN), pair.b.mr.rkey()));
            pair.run();
            assertThat(pair.link.ackRequests.get(TestLink.A_TO_B)).containsExactly(true);
            assertThat(pair.now).isEqualTo(start);
            assertThat(pair.a.pollSends())
                    .extracting(Completion::status)
                    .containsExactly(WcStatus.SUCCESS, WcStatus.LOC_PROT_ERR);
        }
    }
}
