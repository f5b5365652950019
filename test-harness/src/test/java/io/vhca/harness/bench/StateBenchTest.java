package io.vhca.harness.bench;

import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.harness.drill.StateResult;
import java.util.List;
import org.junit.jupiter.api.Test;

class StateBenchTest {
    private static List<BenchRow> rows(final double on, final long longestNs, final long failovers) {
        return StateBench.rows(1_000, new StateResult(
                new double[] {100, 300, 100}, new double[] {on, 3 * on, on},
                new long[] {4_000_000, longestNs, 5_000_000}, failovers));
    }

    @Test
    void theRateIsThatOfEachRoundAndTheLongestPauseIsJudged() {
        final List<BenchRow> rows = rows(99, 20_000_000, 0);
        assertThat(rows).extracting(BenchRow::what).containsExactly(
                "(i) WRITEs over 1,000 queue pairs, state_interval = 1s / 0",
                "(i) what a dump of 1,000 queue pairs keeps the data path",
                "(i) failovers because of it");
        assertThat(rows).extracting(BenchRow::measured).containsExactly(
                "0.990 (rounds 0.99 .. 0.99)", "5.0 ms (longest 20.0)", "0");
        assertThat(rows).allMatch(BenchRow::met);
    }

    @Test
    void eachGoalCanBeMissed() {
        assertThat(rows(98, 21_000_000, 1)).noneMatch(BenchRow::met);
    }
}
