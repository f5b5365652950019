package io.vhca.harness.drill;

import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.bond.config.BondMode;
import io.vhca.harness.drill.fabric.LoopbackFabric;
import io.vhca.harness.drill.protocol.DrillLine;
import io.vhca.harness.drill.protocol.DrillScenario;
import io.vhca.harness.drill.protocol.SideTraffic;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What a drill is judged by, from what its children said. */
class DrillLogTest {
    private static DrillResult result(final long connectionsMs, final long datagramsMs) {
        final DrillOptions options = new DrillOptions(
                Path.of("x"), 0, 7, DrillOptions.FabricKind.LOOPBACK, 0, false, 30_000, 64, 1 << 16,
                List.of(SideTraffic.UD), BondMode.ACTIVE_BACKUP, DrillScenario.CUT, 1, 0);
        final DrillLog log = new DrillLog(options, new LoopbackFabric(DrillScenario.CUT), 100);
        log.verdict(DrillLine.of(
                "verdict", "lost", 0L, "doubled", 0L, "foreign", 0L, "bytes", 100L, "sha256", "abc", "messages", 3L));
        log.sent(DrillLine.of(
                "sent", "messages", 3L, "bytes", 100L, "side", "ud: fine", "sha256", "abc", "connectionsMs",
                connectionsMs, "datagramsMs", datagramsMs));
        return log.result(0);
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
}
