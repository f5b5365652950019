package io.vhca.harness.drill;

import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.harness.drill.protocol.DrillLine;
import org.junit.jupiter.api.Test;

/** Datagrams may be out for twice as long as connections, and a little. */
class OutagesTest {
    @Test
    void datagramsHaveTwiceTheTimeOfConnectionsAndAFloor() {
        assertThat(new Outages(4_000, 10_000).wrong()).isEmpty();
        assertThat(new Outages(4_000, 10_001).wrong())
                .isEqualTo("no datagram came back for 10001 ms, allowed are 2 times the 4000 ms of connections and"
                        + " 2000 ms");
        assertThat(new Outages(4_000, -1).wrong()).isEmpty();
        assertThat(Outages.NONE.wrong()).isEmpty();
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
