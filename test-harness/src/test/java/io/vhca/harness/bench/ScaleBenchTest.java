package io.vhca.harness.bench;

import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.harness.drill.ScaleResult;
import java.util.List;
import org.junit.jupiter.api.Test;

class ScaleBenchTest {
    private static final long MS = 1_000_000;

    @Test
    void aThousandAreJudgedByTheirTimeAndTheLastStepByItsGrowth() {
        final List<BenchRow> rows = ScaleBench.rows(List.of(
                new ScaleResult(100, 50 * MS, 60 * MS),
                new ScaleResult(1_000, 2_000 * MS, 2_100 * MS),
                new ScaleResult(10_000, 20_001 * MS, 30_000 * MS)), ", standby = warm");
        assertThat(rows).extracting(BenchRow::what).containsExactly(
                "(e) failover, 16 WRITEs in flight on each of 100 queue pairs, standby = warm",
                "(e) failover, 16 WRITEs in flight on each of 1,000 queue pairs, standby = warm",
                "(e) failover, 16 WRITEs in flight on each of 10,000 queue pairs, standby = warm",
                "(e) 10,000 queue pairs against 1,000, standby = warm");
        assertThat(rows.get(0).measured()).isEqualTo("50.0 ms, 0.500 ms each (longest 60.0)");
        assertThat(rows).extracting(BenchRow::verdict).containsExactly("", "met", "", "MISSED");
        assertThat(ScaleBench.rows(List.of(new ScaleResult(1_000, 2_001 * MS, 2_001 * MS)), ""))
                .extracting(BenchRow::verdict)
                .containsExactly("MISSED");
    }
}
