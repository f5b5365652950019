package io.vhca.physical.soft.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.api.QpState;
import io.vhca.api.WcStatus;
import io.vhca.api.WrOpcode;
import io.vhca.physical.soft.engine.TestPair.Completion;
import io.vhca.physical.soft.engine.TestPair.Side;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Who sees a request fail finds its queue pair in the state that this means, however soon it looks. */
class StateOfFailureTest {
    private static List<QpState> atCompletion(final Side side) {
        final List<QpState> seen = new ArrayList<>();
        side.sendCq.reqNotify(false);
        side.recvCq.reqNotify(false);
        side.onReport = () -> seen.add(side.qp.state());
        return seen;
    }

    @Test
    void aSendThatFails() {
        try (TestPair pair = new TestPair()) {
            final List<QpState> seen = atCompletion(pair.a);
            pair.a.post(pair.a.request(WrOpcode.RDMA_WRITE, 1, 0, 8).rdma(pair.b.addr(-1), pair.b.mr.rkey()));
            pair.run();
            assertThat(pair.a.pollSends()).extracting(Completion::status).containsExactly(WcStatus.REM_ACCESS_ERR);
            assertThat(seen).containsExactly(QpState.ERR);
        }
    }

    @Test
    void aReceiveThatIsTooShort() {
        try (TestPair pair = new TestPair()) {
            final List<QpState> seen = atCompletion(pair.b);
            pair.b.postRecv(7, 0, 4);
            pair.a.post(pair.a.request(WrOpcode.SEND, 1, 0, 8));
            pair.run();
            assertThat(pair.b.pollReceives()).extracting(Completion::status).containsExactly(WcStatus.LOC_LEN_ERR);
            assertThat(seen).containsExactly(QpState.ERR);
        }
    }
}
