package io.vhca.tool.exs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.List;
import org.junit.jupiter.api.Test;

/** What a link leaves for data, counted by hand, and the page that shows it. */
class BlastPageTest {
    @Test
    void headersOfEachPacketAreTaken() {
        // 38 of Ethernet, 20 of IPv4, 24 of UDP, BTH and ICRC, once 16 of RETH.
        assertThat(LinkShare.ofData(1_024, 1_024, false)).isCloseTo(1_024 / (1_024 + 98.0), within(1e-9));
        assertThat(LinkShare.ofData(1_025, 1_024, false)).isCloseTo(1_025 / (1_025 + 180.0), within(1e-9));
        assertThat(LinkShare.ofData(1 << 20, 4_096, true))
                .isCloseTo((1 << 20) / ((1 << 20) + 256 * 102.0 + 16), within(1e-9));
    }

    @Test
    void aPageHasARowAndAPointForEachSizeAndTheUsableLineWhereItIsKnown() {
        final BlastRow small = new BlastRow(64, 10, 12.3, 400, 99, 120.4);
        final BlastRow large = new BlastRow(1 << 20, 5, 876.5, 950, 80, 70);
        final String page = BlastPage.of("a < b", List.of(small, large));
        assertThat(page)
                .contains("a &lt; b", "<td>64</td><td>10</td><td>12.3</td><td>400.0</td><td>99</td><td>120</td>");
        assertThat(page.split("<circle", -1)).hasSize(3);
        assertThat(page.split("<polyline", -1)).hasSize(3);
        final String unknown = BlastPage.of("x", List.of(new BlastRow(64, 10, 12.3, 0, 99, Double.NaN)));
        assertThat(unknown).contains("<td>-</td><td>99</td><td>-</td></tr>").doesNotContain("NaN", "Infinity");
        assertThat(unknown.split("<polyline", -1)).hasSize(2);
    }

    /** More throughput is higher up, larger sends are further right. */
    @Test
    void thePlotHasItsAxesTheRightWayRound() {
        final String page = BlastPage.of(
                "x", List.of(new BlastRow(64, 10, 10, 0, 99, 90), new BlastRow(65_536, 5, 1_000, 0, 80, 90)));
        assertThat(page).contains("points=\"80.0,370.0 740.0,30.0 \"");
    }

    /** Sends of a byte carry less than a Mbit/s; each decade below was 0. */
    @Test
    void eachDecadeHasItsNumber() {
        assertThat(BlastPage.of(
                        "x", List.of(new BlastRow(1, 10, 0.05, 0, 99, 90), new BlastRow(64, 10, 12, 0, 99, 90))))
                .contains(">0.01<", ">0.1<", ">1<", ">10<", ">100<")
                .doesNotContain(">0<");
    }
}
