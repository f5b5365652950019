package io.vhca.harness.bench;

import io.vhca.harness.drill.ScaleResult;
import io.vhca.harness.drill.ScaleRun;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;

/** (e): how long the failover of many queue pairs takes. */
final class ScaleBench {
    private static final int JUDGED = 1_000;
    private static final double MOST_MS = 2_000;

    private ScaleBench() {}

    static List<BenchRow> run(
            final boolean isQuick, final List<Integer> sizes, final int starve, final PrintWriter progress)
            throws IOException, InterruptedException {
        final List<BenchRow> rows =
                new ArrayList<>(rows(new ScaleRun(progress, isQuick, sizes, starve, false).run(), ""));
        rows.addAll(rows(new ScaleRun(progress, isQuick, sizes, starve, true).run(), ", standby = warm"));
        return rows;
    }

    /**
     * A row for each number of queue pairs, and one for how the time grew over the last step.
     *
     * @param options of the bonds, for the labels
     */
    static List<BenchRow> rows(final List<ScaleResult> results, final String options) {
        final List<BenchRow> rows = new ArrayList<>();
        for (final ScaleResult result : results) {
            final double ms = result.medianNs() / 1e6;
            final boolean isJudged = result.queuePairs() == JUDGED;
            rows.add(new BenchRow(
                    OverheadBench.format(
                            "(e) failover, %d WRITEs in flight on each of %,d queue pairs%s", ScaleRun.IN_FLIGHT,
                            result.queuePairs(), options),
                    OverheadBench.format(
                            "%.1f ms, %.3f ms each (longest %.1f)", ms, result.eachNs() / 1e6,
                            result.longestNs() / 1e6),
                    isJudged ? OverheadBench.format("at most %.0f ms", MOST_MS) : "",
                    !isJudged || ms <= MOST_MS));
        }
        if (results.size() > 1) {
            final ScaleResult last = results.getLast();
            final ScaleResult before = results.get(results.size() - 2);
            final double steps = (double) last.queuePairs() / before.queuePairs();
            final double growth = (double) last.medianNs() / before.medianNs();
            rows.add(new BenchRow(
                    OverheadBench.format(
                            "(e) %,d queue pairs against %,d%s", last.queuePairs(), before.queuePairs(), options),
                    OverheadBench.format("%.1f times the time", growth),
                    OverheadBench.format("at most %.0f, linear", steps),
                    growth <= steps));
        }
        return rows;
    }
}
