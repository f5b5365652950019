package io.vhca.harness.drill;

import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.bond.config.BondMode;
import io.vhca.harness.drill.fabric.LoopbackFabric;
import io.vhca.harness.drill.protocol.DrillLine;
import io.vhca.harness.drill.protocol.DrillScenario;
import io.vhca.harness.drill.protocol.SideTraffic;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** What a drill is judged by, from what its children said. */
class DrillLogTest {
    private static DrillLog log(final int cuts, final boolean kill, final int starve) {
        final DrillOptions options = new DrillOptions(
                Path.of("x"), cuts, 7, DrillOptions.FabricKind.LOOPBACK, 0, kill, 30_000, 64, 1 << 16,
                List.of(SideTraffic.UD), BondMode.ACTIVE_BACKUP, DrillScenario.CUT, starve, 0);
        return new DrillLog(options, new LoopbackFabric(DrillScenario.CUT), 100);
    }

    private static DrillResult result(final long connectionsMs, final long datagramsMs) {
        final DrillLog log = log(0, false, 1);
        allArrived(log, connectionsMs, datagramsMs);
        return log.result(0);
    }

    private static void allArrived(final DrillLog log, final long connectionsMs, final long datagramsMs) {
        log.verdict(DrillLine.of(
                "verdict", "lost", 0L, "doubled", 0L, "foreign", 0L, "bytes", 100L, "sha256", "abc", "messages", 3L));
        log.sent(DrillLine.of(
                "sent", "messages", 3L, "bytes", 100L, "side", "ud: fine", "sha256", "abc", "connectionsMs",
                connectionsMs, "datagramsMs", datagramsMs));
    }

    @Test
    void datagramsThatAreOutForMuchLongerThanConnectionsFailTheDrill() {
        final DrillResult good = result(1_000, 4_000);
        assertThat(good.ok()).as(good.verdict()).isTrue();
        assertThat(good.outages()).isEqualTo(new Outages(1_000, 4_000));
        final DrillResult bad = result(1_000, 4_001);
        assertThat(bad.ok()).isFalse();
        assertThat(bad.verdict()).startsWith("FAILED: no datagram came back for 4001 ms");
    }

    @Test
    void aSoakThatEndsBeforeItsFirstCutShowsNothing() {
        for (int made = 0; made < 2; made++) {
            final DrillLog log = log(6, false, 1);
            log.endsEarly(made);
            allArrived(log, 0, 0);
            final DrillResult result = log.result(made);
            assertThat(result.ok()).as(result.verdict()).isEqualTo(made > 0);
            assertThat(result.verdict()).contains(made > 0 ? "across 1 of 1 cuts" : "FAILED: no cut was made");
        }
    }

    @Test
    void whatMovedThoughNothingWasCutIsCounted() {
        final DrillLog log = log(0, false, 1);
        log.failover(true, failover(1, "PROBE_LOST"));
        log.failover(true, failover(2, "PLANNED"));
        log.failover(false, failover(2, "PEER"));
        log.failover(true, failover(3, "PROBE_LOST"));
        allArrived(log, 0, 0);
        assertThat(log.result(0).verdict())
                .contains("across 0 of 0 cuts; it moved 3 times, seen by {PLANNED=1, PROBE_LOST=2}; ud: fine.");
        assertThat(result(0, 0).verdict()).contains("across 0 of 0 cuts; it never moved; ud: fine.");
    }

    private static DrillLine failover(final long epoch, final String reason) {
        return DrillLine.of(
                "failover", "to", "soft1 -> 127.0.0.2", "epoch", epoch, "startedNs", 7L, "reason", reason, "error", "",
                "fenceNs", 1L, "connectNs", 2L, "replayNs", 3L, "negotiated", 0L, "replayed", 0L);
    }

    @Test
    void whoStarvesMayLearnLaterThatTheReceiverIsDead() {
        assertThat(afterKill(1, 60_000).ok()).isTrue();
        assertThat(afterKill(1, 60_001).verdict()).contains("FAILED: the error came after 60001 ms");
        assertThat(afterKill(4, 240_000).ok()).isTrue();
        assertThat(afterKill(4, 240_001).ok()).isFalse();
    }

    private static DrillResult afterKill(final int starve, final long tookMs) {
        final DrillLog log = log(0, true, starve);
        final long killedNs = 7;
        log.killed(killedNs);
        final long nowNs = killedNs + TimeUnit.MILLISECONDS.toNanos(tookMs);
        log.failure(DrillLine.of(
                "failed", "wr", 3L, "due", 3L, "error", "NO_PATH", "status", "RETRY_EXC_ERR", "meaning", "none", "t",
                nowNs));
        log.failure(DrillLine.of("flushed", "posted", 9L, "t", nowNs));
        return log.result(0);
    }
}
