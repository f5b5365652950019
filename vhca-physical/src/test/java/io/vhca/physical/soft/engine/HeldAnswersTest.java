package io.vhca.physical.soft.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.api.QpAttributes;
import io.vhca.api.QpState;
import io.vhca.api.WcStatus;
import io.vhca.api.WorkCompletion;
import io.vhca.api.WrOpcode;
import io.vhca.physical.soft.wire.Opcodes;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What a poll received is answered behind the request that the poller posts next, or when it finds nothing more. */
class HeldAnswersTest {
    private static final int BYTES = 64;

    private static TestPair pair() {
        final TestPair.Options options = new TestPair.Options();
        options.config.inlineClock(() -> 1_000_000_000L);
        final TestPair pair = new TestPair(options);
        pair.b.postRecv(1, 0, BYTES);
        pair.b.postRecv(2, 0, BYTES);
        return pair;
    }

    private static int poll(final TestPair pair) {
        return pair.b.recvCq.poll(WorkCompletion.allocate(pair.arena, 16));
    }

    private static List<Integer> answered(final TestPair pair) {
        return pair.link.opcodes.get(TestLink.B_TO_A);
    }

    @Test
    void anAnswerGoesBehindTheRequestThatFollowsIt() {
        try (TestPair pair = pair()) {
            pair.a.postRecv(3, BYTES, BYTES);
            pair.a.post(pair.a.request(WrOpcode.SEND, 1, 0, BYTES));
            assertThat(poll(pair)).isOne();
            assertThat(answered(pair)).as("the poller may post").isEmpty();
            pair.b.post(pair.b.request(WrOpcode.SEND, 2, 0, BYTES));
            assertThat(answered(pair)).containsExactly(Opcodes.RC_SEND_ONLY, Opcodes.RC_ACKNOWLEDGE);
        }
    }

    @Test
    void aPollThatFindsNothingAnswersWhatCameBefore() {
        try (TestPair pair = pair()) {
            pair.a.post(pair.a.request(WrOpcode.SEND, 1, 0, BYTES));
            assertThat(poll(pair)).isOne();
            assertThat(answered(pair)).isEmpty();
            assertThat(poll(pair)).isZero();
            assertThat(answered(pair)).containsExactly(Opcodes.RC_ACKNOWLEDGE);
        }
    }

    /** What it receives takes its time, and may be the next message: its sender would wait for that as well. */
    @Test
    void aPollAnswersWhatTheOneBeforeFoundAndReceivesThen() {
        try (TestPair pair = pair()) {
            pair.a.post(pair.a.request(WrOpcode.SEND, 1, 0, BYTES));
            assertThat(poll(pair)).isOne();
            pair.a.post(pair.a.request(WrOpcode.SEND, 2, 0, BYTES));
            pair.a.nic.doWork(pair.now); // the burst is over
            assertThat(poll(pair)).isOne();
            assertThat(pair.link.b.flushedAtReceive).isOne();
        }
    }

    /** A WRITE completes nothing here: whoever polls for something else does not keep its sender waiting. */
    @Test
    void aPollThatReceivedButFoundNothingAnswersAtOnce() {
        try (TestPair pair = pair()) {
            pair.a.post(pair.a.request(WrOpcode.RDMA_WRITE, 1, 0, BYTES).rdma(pair.b.addr(BYTES), pair.b.mr.rkey()));
            assertThat(poll(pair)).isZero();
            assertThat(answered(pair)).containsExactly(Opcodes.RC_ACKNOWLEDGE);
        }
    }

    /** The last message of a conversation: who has it closes, and its sender must hear that it arrived. */
    @Test
    void whoClosesBecauseOfWhatHePolledHasAnswered() {
        for (final boolean isDestroyed : new boolean[] {false, true}) {
            try (TestPair pair = pair()) {
                pair.a.post(pair.a.request(WrOpcode.SEND, 1, 0, BYTES));
                assertThat(poll(pair)).isOne();
                if (isDestroyed) {
                    pair.b.qp.close();
                } else {
                    pair.b.qp.modify(new QpAttributes().qpState(QpState.ERR));
                }
                assertThat(answered(pair)).containsExactly(Opcodes.RC_ACKNOWLEDGE);
                assertThat(pair.a.pollSends())
                        .extracting(TestPair.Completion::status)
                        .containsExactly(WcStatus.SUCCESS);
            }
        }
    }

    @Test
    void theDevicesOwnThreadAnswersWhereThePollerDoesNotComeBack() {
        try (TestPair pair = pair()) {
            pair.a.post(pair.a.request(WrOpcode.SEND, 1, 0, BYTES));
            assertThat(poll(pair)).isOne();
            assertThat(pair.b.nic.hasWork()).isTrue();
            pair.b.nic.doWork(pair.now);
            assertThat(answered(pair)).containsExactly(Opcodes.RC_ACKNOWLEDGE);
        }
    }
}
