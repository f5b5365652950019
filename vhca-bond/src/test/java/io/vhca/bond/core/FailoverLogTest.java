package io.vhca.bond.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.recovery.wire.FailureReason;
import org.junit.jupiter.api.Test;

class FailoverLogTest {
    private final FailoverLog log = new FailoverLog();

    private static FailoverReport report(final int qpNum) {
        return new FailoverReport(qpNum, 1, FailureReason.PORT_ERR, "a", "b", 0, 0, 0, 0, 0, 0, true, null);
    }

    @Test
    void whatWasNotSeenYetComesOldestFirst() {
        for (int i = 0; i < 5; i++) {
            log.add(report(i));
        }
        assertThat(log.after(0)).extracting(FailoverReport::qpNum).containsExactly(0, 1, 2, 3, 4);
        assertThat(log.after(3)).extracting(FailoverReport::qpNum).containsExactly(3, 4);
        assertThat(log.after(5)).isEmpty();
        assertThat(log.after(99)).isEmpty();
    }

    @Test
    void theOldestAreForgottenAndTheCountGoesOn() {
        for (int i = 0; i < FailoverLog.KEPT + 10; i++) {
            log.add(report(i));
        }
        assertThat(log.total()).isEqualTo(FailoverLog.KEPT + 10);
        assertThat(log.after(0)).hasSize(FailoverLog.KEPT).first().extracting(FailoverReport::qpNum).isEqualTo(10);
        assertThat(log.after(FailoverLog.KEPT + 9)).extracting(FailoverReport::qpNum)
                .containsExactly(FailoverLog.KEPT + 9);
    }

    /** Whoever looks now and then counts those too that are forgotten by then. */
    @Test
    void theFirstThatIsKeptSaysWhichItIs() {
        assertThat(log.firstAfter(0)).isZero();
        final int all = 3 * FailoverLog.KEPT;
        for (int i = 0; i < all; i++) {
            log.add(report(i));
        }
        for (final int seen : new int[] {0, 5, 2 * FailoverLog.KEPT, all - 1}) {
            assertThat(log.after(seen).getFirst().qpNum()).isEqualTo((int) log.firstAfter(seen));
        }
        assertThat(log.firstAfter(0)).isEqualTo(2 * FailoverLog.KEPT);
        assertThat(log.firstAfter(all)).isEqualTo(all);
    }
}
