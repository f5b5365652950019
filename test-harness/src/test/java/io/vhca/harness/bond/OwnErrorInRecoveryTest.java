package io.vhca.harness.bond;

import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.api.QpState;
import io.vhca.api.RecvWorkRequest;
import io.vhca.api.SendFlags;
import io.vhca.api.SendWorkRequest;
import io.vhca.api.WcOpcode;
import io.vhca.api.WcStatus;
import io.vhca.api.WorkCompletion;
import io.vhca.api.WrOpcode;
import io.vhca.api.cm.CmEventType;
import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * A request of the application's own fails, and before it polls the peer, which hears nothing any more, takes the path
 * for dead: the error is found in the middle of the recovery that the peer asks for. On virtual time.
 */
class OwnErrorInRecoveryTest {
    private static final long MS = BondPair.MS;
    private static final int NO_KEY = 12_345;
    private static final int AGAIN = 7;

    private final BondPair pair = new BondPair(config -> config);

    private void postBad(final Arena arena) {
        final SendWorkRequest wr = SendWorkRequest.allocate(arena, 1);
        assertThat(pair.right.qp().postSend(wr.wrId(3)
                        .opcode(WrOpcode.SEND)
                        .sendFlags(SendFlags.SIGNALED)
                        .sge(pair.right.region.addr(), BondPair.MESSAGE_BYTES, NO_KEY)))
                .isEqualTo(1);
    }

    /** What completes now: of receives, the numbers, else the status. */
    private List<String> polled(final Arena arena) {
        final WorkCompletion wc = WorkCompletion.allocate(arena, 1);
        final List<String> all = new ArrayList<>();
        while (pair.right.cq.poll(wc) == 1) {
            final boolean isReceive = wc.opcode() == WcOpcode.RECV.code() && wc.wrId() != 1 && wc.wrId() != 3;
            all.add((isReceive ? "receive " + wc.wrId() + " " : "send ") + wc.statusName());
        }
        return all;
    }

    @Test
    void theErrorIsTheEndForBothAndNothingCompletesTwice() {
        try (pair;
                Arena arena = Arena.ofConfined()) {
            pair.right.polls = false;
            postBad(arena);
            pair.right.send();
            pair.left.send();
            final List<String> right = new ArrayList<>();
            assertThat(pair.runUntil(() -> pair.left.events.contains(CmEventType.DISCONNECTED), 20_000 * MS))
                    .as("the peer hears of it")
                    .isTrue();
            assertThat(pair.left.sends).doesNotContain(WcStatus.SUCCESS).hasSize(1);
            assertThat(pair.right.qp().state()).isEqualTo(QpState.ERR);
            right.addAll(polled(arena));
            pair.runFor(1_000 * MS);
            right.addAll(polled(arena));
            assertThat(right).startsWith("send LOC_PROT_ERR", "send WR_FLUSH_ERR");
            assertThat(right.subList(2, right.size()))
                    .isEqualTo(Collections.nCopies(BondPair.DEPTH, "receive 0 WR_FLUSH_ERR"));
            final RecvWorkRequest later = RecvWorkRequest.allocate(arena, 1);
            assertThat(pair.right.qp().postRecv(later.wrId(AGAIN).numSge(0))).isEqualTo(1);
            pair.runFor(10 * MS);
            assertThat(polled(arena)).containsExactly("receive " + AGAIN + " WR_FLUSH_ERR");
        }
    }
}
