package io.vhca.harness.drill;

import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.bond.config.BondOption;
import io.vhca.harness.drill.fabric.LoopbackFabric;
import io.vhca.harness.drill.protocol.DrillLine;
import io.vhca.harness.drill.protocol.DrillScenario;
import org.junit.jupiter.api.Test;

/** Datagrams may be out for twice as long as connections, a heartbeat and two questions. */
class OutagesTest {
    @Test
    void datagramsHaveTwiceTheTimeOfConnectionsAndAFloor() {
        assertThat(new Outages(4_000, 10_000).wrong(500)).isEmpty();
        assertThat(new Outages(4_000, 10_001).wrong(500))
                .isEqualTo("no datagram came back for 10001 ms, allowed are 2 times the 4000 ms of connections and"
                        + " 2000 ms");
        assertThat(new Outages(4_000, 15_000).wrong(3_000)).as("who may answer late").isEmpty();
        assertThat(new Outages(4_000, 15_001).wrong(3_000)).contains("4000 ms of connections and 7000 ms");
        assertThat(new Outages(4_000, -1).wrong(500)).isEmpty();
        assertThat(Outages.NONE.wrong(500)).isEmpty();
    }

    @Test
    void bondsOfAFabricTryAPathForTheTimeThatItSays() {
        final LoopbackFabric fabric = new LoopbackFabric(DrillScenario.CUT);
        assertThat(fabric.bondOptions(true)).doesNotContain("path_timeout");
        assertThat(BondOption.PATH_TIMEOUT.defaultText()).isEqualTo(fabric.pathTimeoutMs() + "ms");
    }

    @Test
    void theSenderSaysBoth() {
        final Outages both =
                Outages.of(DrillLine.of("sent", "connectionsMs", 700L, "datagramsMs", 900L));
        assertThat(both).isEqualTo(new Outages(700, 900));
        assertThat(both.text()).isEqualTo("longest outage: connections 700 ms, datagrams 900 ms");
        assertThat(Outages.of(DrillLine.of("sent", "connectionsMs", 700L)).text())
                .isEqualTo("longest outage: connections 700 ms");
        assertThat(Outages.of(DrillLine.of("sent"))).isEqualTo(Outages.NONE);
        assertThat(Outages.NONE.text()).isEmpty();
    }
}
