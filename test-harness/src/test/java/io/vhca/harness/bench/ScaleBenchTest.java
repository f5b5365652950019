package io.vhca.harness.bench;

import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.harness.drill.ScaleCut;
import io.vhca.harness.drill.ScaleResult;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

class ScaleBenchTest {
    private static final long MS = 1_000_000;

    private static ScaleResult result(final int queuePairs, final long totalMs, final long longestMs) {
        return new ScaleResult(queuePairs, List.of(
                cut(longestMs, 40 * MS), cut(totalMs, 4 * MS), cut(totalMs, MS)));
    }

    private static ScaleCut cut(final long totalMs, final long afterNs) {
        return new ScaleCut(totalMs * MS, MS / 2, MS / 4, MS / 8, MS / 10, afterNs, 7);
    }

    private static List<BenchRow> totals(final List<BenchRow> rows) {
        return rows.stream().filter(row -> !row.what().startsWith("(e) of these")).toList();
    }

    @Test
    void whatIsJudgedAndTheGrowthOfTheLastStep() {
        final List<ScaleResult> results = List.of(
                result(100, 50, 60), result(1_000, 2_000, 2_100), result(10_000, 20_001, 30_000));
        final List<BenchRow> cold = totals(ScaleBench.rows(results, false));
        assertThat(cold).extracting(BenchRow::what).containsExactly(
                "(e) failover, 16 WRITEs in flight on each of 100 queue pairs",
                "(e) failover, 16 WRITEs in flight on each of 1,000 queue pairs",
                "(e) failover, 16 WRITEs in flight on each of 10,000 queue pairs",
                "(e) 10,000 queue pairs against 1,000");
        assertThat(cold.get(0).measured()).isEqualTo("50.0 ms, 0.500 ms each (longest 60.0)");
        assertThat(cold).extracting(BenchRow::verdict).containsExactly("", "met", "", "MISSED");
        assertThat(totals(ScaleBench.rows(List.of(result(1_000, 2_001, 2_001)), false)))
                .extracting(BenchRow::verdict)
                .containsExactly("MISSED");
    }

    @Test
    void whereSomeRecoveriesAreForgottenNoPhasesAreShown() {
        final List<ScaleResult> results = List.of(
                result(ScaleCut.MOST_KNOWN, 50, 60), result(ScaleCut.MOST_KNOWN + 1, 50, 60),
                new ScaleResult(10_000, Collections.nCopies(500, cut(9, MS))));
        final List<BenchRow> rows = ScaleBench.rows(results, true);
        assertThat(rows).hasSize(5).filteredOn(row -> row.what().startsWith("(e) of")).containsExactly(rows.get(1));
    }

    @Test
    void whatStandsByIsJudgedByItsOwnGoals() {
        final List<ScaleResult> results = List.of(result(1_000, 120, 150), result(10_000, 1_501, 1_600));
        final List<BenchRow> warm = totals(ScaleBench.rows(results, true));
        assertThat(warm).extracting(BenchRow::what)
                .contains("(e) failover, 16 WRITEs in flight on each of 1,000 queue pairs, standby = warm");
        assertThat(warm).extracting(BenchRow::verdict).startsWith("met", "MISSED");
    }

    @Test
    void aLongRunShowsHowItBecomesQuicker() {
        final List<ScaleCut> cuts = new ArrayList<>(Collections.nCopies(100, cut(9, 8 * MS)));
        cuts.addAll(Collections.nCopies(400, cut(9, MS)));
        cuts.set(499, cut(9, 3 * MS));
        final List<BenchRow> rows = ScaleBench.rows(List.of(new ScaleResult(1, cuts)), true);
        assertThat(rows.get(2).what()).isEqualTo("(e) of each fifth of 500 cuts: all after detection, p99");
        assertThat(rows.get(2).measured())
                .isEqualTo("8.00, 8.00; 1.00, 1.00; 1.00, 1.00; 1.00, 1.00; 1.00, 3.00 ms");
        assertThat(ScaleBench.rows(List.of(new ScaleResult(1, cuts.subList(0, 499))), true)).hasSize(2);
    }

    /** The first cut of a run is of code that runs for the first time: it does not count. */
    @Test
    void thePhasesAreOfAllCutsAndWhatComesAfterDetectionOfTheLaterOnes() {
        final BenchRow row = ScaleBench.rows(List.of(result(1, 9, 9)), true).get(1);
        assertThat(row.what())
                .isEqualTo("(e) of these: detection; each: fence, exchange, replay; all after it, p99 of 2");
        assertThat(row.measured()).isEqualTo("0.50; 0.25, 0.13, 0.10; 4.00, 4.00 ms (7 standbys)");
        assertThat(row.verdict()).isEqualTo("MISSED");
        final ScaleResult quick = new ScaleResult(1, List.of(cut(9, 40 * MS), cut(9, MS), cut(9, MS)));
        assertThat(ScaleBench.rows(List.of(quick), true).get(1).verdict()).isEqualTo("met");
    }
}
