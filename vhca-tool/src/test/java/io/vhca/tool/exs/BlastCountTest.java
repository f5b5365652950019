package io.vhca.tool.exs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;

/** What a blast counts: sends between two that are done, and nothing of its start and its end. */
class BlastCountTest {
    private static final long MS = 1_000_000;

    private long cpuNs;

    /** One send in a millisecond, of 125,000 bytes each, is 1 Gbit/s, however long the first one took. */
    @Test
    void theStartIsNotCounted() {
        final BlastCount count = new BlastCount(100 * MS, 7, () -> cpuNs);
        count.done(7 + 9 * MS);
        cpuNs = 6 * MS;
        count.done(7 + 40 * MS);
        for (int send = 1; send <= 60; send++) {
            assertThat(count.isOver()).isFalse();
            cpuNs += MS / 2;
            count.done(7 + (40 + send) * MS);
        }
        assertThat(count.isOver()).isTrue();
        final BlastRow row = count.row(125_000, 2_000, 80);
        assertThat(row.sends()).isEqualTo(60);
        assertThat(row.mbps()).isCloseTo(1_000, within(1e-6));
        assertThat(row.cpuPercent()).isCloseTo(50, within(1e-6));
        assertThat(row.receiverPercent()).isEqualTo(80);
    }

    @Test
    void aShareOfAProcessorIsThatOfTheTimeBetween() {
        assertThat(new CpuMoment(7, 100 * MS).percentUntil(new CpuMoment(7 + 40 * MS, 130 * MS))).isEqualTo(75);
        assertThat(new CpuMoment(7, 0).percentUntil(new CpuMoment(7, 0))).isZero();
        final CpuMoment now = CpuMoment.now();
        assertThat(now.percentUntil(CpuMoment.now())).isNotNegative();
    }

    /** A link that takes longer for a send than the whole time is measured by one. */
    @Test
    void atLeastOneSendIsCounted() {
        final BlastCount count = new BlastCount(MS, 0, () -> cpuNs);
        count.done(500 * MS);
        assertThat(count.isOver()).isFalse();
        count.done(900 * MS);
        assertThat(count.isOver()).isTrue();
        assertThat(count.row(50_000_000, 0, Double.NaN).mbps()).isCloseTo(1_000, within(1e-6));
    }
}
