package io.vhca.physical.soft;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class AgentNapsTest {
    private final AgentNaps naps = new AgentNaps();

    @Test
    void whereNobodyWaitsForAnEventANapMayBeLong() {
        assertThat(naps.nextNs(1, false)).isEqualTo(500_000);
        assertThat(naps.nextNs(10, false)).isEqualTo(1_000_000);
        assertThat(naps.nextNs(20, false)).isEqualTo(2_000_000);
        assertThat(naps.nextNs(40, false)).isEqualTo(4_000_000);
        assertThat(naps.nextNs(80, false)).isEqualTo(4_000_000);
        assertThat(naps.nextNs(79, false)).isEqualTo(500_000);
    }

    @Test
    void whoWaitsForAnEventIsLookedAfterSoonWhereTheEngineIsRunNowAndThen() {
        for (int i = 0; i < 100; i++) {
            assertThat(naps.nextNs(1, true)).isEqualTo(100_000);
        }
    }

    @Test
    void napsGrowWhileTheEngineIsRunAllTheTime() {
        assertThat(naps.nextNs(2, true)).isEqualTo(200_000);
        assertThat(naps.nextNs(4, true)).isEqualTo(400_000);
        assertThat(naps.nextNs(8, true)).isEqualTo(800_000);
        assertThat(naps.nextNs(16, true)).isEqualTo(800_000);
    }

    @Test
    void napsAreShortAgainAsSoonAsItIsRunLessOften() {
        naps.nextNs(2, true);
        naps.nextNs(4, true);
        naps.nextNs(8, true);
        assertThat(naps.nextNs(15, true)).isEqualTo(100_000);
    }

    @Test
    void napsAreShortAfterItWasNotRun() {
        naps.nextNs(2, true);
        naps.nextNs(4, true);
        naps.end();
        assertThat(naps.nextNs(1, true)).isEqualTo(100_000);
    }
}
