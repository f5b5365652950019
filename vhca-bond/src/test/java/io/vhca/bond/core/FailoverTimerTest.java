package io.vhca.bond.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.recovery.BondError;
import io.vhca.recovery.wire.FailureReason;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class FailoverTimerTest {
    private long nowNs = Long.MAX_VALUE - 10;
    private final BondCounters counters = new BondCounters();
    private final List<FailoverReport> reports = new ArrayList<>();
    private final FailoverTimer timer = new FailoverTimer(7, () -> nowNs, counters, reports::add);

    @Test
    void everyStageHasItsOwnTimeThoughAllAreInOneTurn() {
        final long startNs = nowNs;
        timer.begin(FailureReason.RETRY_EXC, "a -> b");
        nowNs += 30;
        timer.drained();
        nowNs += 200;
        timer.drained();
        nowNs += 1_000;
        timer.connected();
        timer.negotiated(3, 4);
        nowNs += 5;
        timer.healthy(FailureReason.PORT_ERR, 9, "c -> d", true);
        assertThat(reports)
                .containsExactly(new FailoverReport(
                        7, 9, FailureReason.RETRY_EXC, "a -> b", "c -> d", startNs, 30, 1_200, 5, 3, 4, true, null));
        assertThat(counters.get(BondCounters.Counter.RECOVERED)).isEqualTo(1);
    }

    @Test
    void aFailureIsReportedOnceWithItsErrorAndAHiddenQueuePairNever() {
        timer.begin(FailureReason.PORT_ERR, "a -> b");
        nowNs += 5;
        timer.failed(2, BondError.NO_PATH);
        timer.failed(2, BondError.NO_PATH);
        assertThat(reports).hasSize(1);
        assertThat(reports.getFirst().error()).isEqualTo(BondError.NO_PATH);
        timer.hide();
        timer.begin(FailureReason.PORT_ERR, "a -> b");
        timer.healthy(FailureReason.RETRY_EXC, 3, "c -> d", false);
        assertThat(reports).hasSize(1);
        assertThat(failovers()).isEqualTo(1);
    }

    @Test
    void aRecoveryThatFailedTookAsLongAsItWasTried() {
        final long startNs = nowNs;
        timer.begin(FailureReason.PORT_ERR, "a -> b");
        nowNs += 30;
        timer.drained();
        nowNs += 200;
        timer.connected();
        nowNs += 30_000;
        timer.failed(2, BondError.NO_PATH);
        assertThat(reports)
                .containsExactly(new FailoverReport(
                        7, 2, FailureReason.PORT_ERR, "a -> b", "", startNs, 30, 30_200, 0, 0, 0, false,
                        BondError.NO_PATH));
        timer.begin(FailureReason.PORT_ERR, "a -> b");
        nowNs += 500;
        timer.failed(3, BondError.NO_PATH);
        assertThat(reports.getLast())
                .as("it was never drained")
                .returns(500L, FailoverReport::fenceNs)
                .returns(0L, FailoverReport::connectNs)
                .returns(0L, FailoverReport::replayNs);
    }

    private long failovers() {
        return counters.get(BondCounters.Counter.FAILOVERS);
    }

    @Test
    void whatMayBeACloseIsCountedOnceWhenItIsKnownToBeNone() {
        timer.begin(FailureReason.CM_DISCONNECTED, "a -> b");
        assertThat(failovers()).isZero();
        timer.begin(FailureReason.PEER_REQUEST, "a -> b");
        timer.healthy(FailureReason.PEER_REQUEST, 2, "c -> d", false);
        assertThat(failovers()).isEqualTo(1);
        timer.begin(FailureReason.CM_DISCONNECTED, "a -> b");
        timer.failed(3, BondError.NO_PATH);
        timer.failed(3, BondError.NO_PATH);
        assertThat(failovers()).isEqualTo(2);
        timer.begin(FailureReason.PORT_ERR, "a -> b");
        assertThat(failovers()).as("at once where there is no doubt").isEqualTo(3);
        timer.healthy(FailureReason.PORT_ERR, 4, "c -> d", true);
        assertThat(failovers()).isEqualTo(3);
    }

    /** A recovery that was counted as a failure stays one. */
    @Test
    void aMoveIsCountedBesides() {
        timer.begin(FailureReason.PLANNED, "a -> b");
        assertThat(moves()).isEqualTo("1 failovers, 1 moves, 0 moved");
        timer.healthy(FailureReason.PLANNED, 2, "c -> d", true);
        assertThat(moves()).isEqualTo("1 failovers, 1 moves, 1 moved");
        timer.begin(FailureReason.CM_DISCONNECTED, "c -> d");
        timer.healthy(FailureReason.PLANNED, 3, "a -> b", false);
        assertThat(moves()).isEqualTo("2 failovers, 2 moves, 2 moved");
        timer.begin(FailureReason.PORT_ERR, "a -> b");
        timer.healthy(FailureReason.PLANNED, 4, "c -> d", false);
        assertThat(moves()).isEqualTo("3 failovers, 2 moves, 2 moved");
        timer.begin(FailureReason.PLANNED, "a -> b");
        timer.failed(5, BondError.NO_PATH);
        assertThat(moves()).isEqualTo("4 failovers, 3 moves, 2 moved");
        timer.hide();
        timer.begin(FailureReason.PLANNED, "a -> b");
        timer.healthy(FailureReason.PLANNED, 6, "c -> d", true);
        assertThat(moves()).isEqualTo("4 failovers, 3 moves, 2 moved");
    }

    private String moves() {
        return failovers() + " failovers, " + counters.get(BondCounters.Counter.MOVES) + " moves, "
                + counters.get(BondCounters.Counter.MOVED) + " moved";
    }

    @Test
    void aFirstConnectIsNoFailover() {
        timer.begin(FailureReason.FIRST_CONNECT, "");
        timer.healthy(FailureReason.FIRST_CONNECT, 1, "a -> b", true);
        assertThat(failovers()).isZero();
        assertThat(counters.get(BondCounters.Counter.RECOVERED)).isZero();
    }
}
