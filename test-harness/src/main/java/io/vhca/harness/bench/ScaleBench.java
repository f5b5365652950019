package io.vhca.harness.bench;

import io.vhca.harness.drill.ScaleCut;
import io.vhca.harness.drill.ScalePlan;
import io.vhca.harness.drill.ScaleResult;
import io.vhca.harness.drill.ScaleRun;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.StringJoiner;

/** (e): how long the failover of many queue pairs takes. */
final class ScaleBench {
    /** By number of queue pairs: how long it may take, in ms. */
    private static final Map<Integer, Double> MOST_MS = Map.of(1_000, 2_000.0);
    private static final Map<Integer, Double> MOST_MS_WARM = Map.of(1_000, 120.0, 10_000, 1_500.0);
    private static final double MOST_AFTER_MS = 1;
    private static final double MOST_SLOWEST_AFTER_MS = 5;

    /** So many show how a run becomes quicker while its code is compiled. */
    private static final int MANY_CUTS = 500;
    private static final int PARTS = 5;

    private ScaleBench() {}

    static List<BenchRow> run(final boolean isQuick, final ScalePlan plan, final PrintWriter progress)
            throws IOException, InterruptedException {
        final List<BenchRow> rows =
                new ArrayList<>(rows(new ScaleRun(progress, isQuick, plan, false).run(), false));
        rows.addAll(rows(new ScaleRun(progress, isQuick, plan, true).run(), true));
        return rows;
    }

    /**
     * A row for each number of queue pairs, one for its phases where those of all recoveries are known, and one for how
     * the time grew over the last step.
     *
     * @param isWarm connections stood by
     */
    static List<BenchRow> rows(final List<ScaleResult> results, final boolean isWarm) {
        final String options = isWarm ? ", standby = warm" : "";
        final List<BenchRow> rows = new ArrayList<>();
        for (final ScaleResult result : results) {
            final double ms = result.medianNs() / 1e6;
            final double mostMs =
                    (isWarm ? MOST_MS_WARM : MOST_MS).getOrDefault(result.queuePairs(), Double.MAX_VALUE);
            final boolean isJudged = mostMs != Double.MAX_VALUE;
            rows.add(new BenchRow(
                    OverheadBench.format(
                            "(e) failover, %d WRITEs in flight on each of %,d queue pairs%s", ScaleRun.IN_FLIGHT,
                            result.queuePairs(), options),
                    OverheadBench.format(
                            "%.1f ms, %.3f ms each (longest %.1f)", ms, result.eachNs() / 1e6,
                            result.longestNs() / 1e6),
                    isJudged ? OverheadBench.format("at most %,.0f ms", mostMs) : "",
                    ms <= mostMs));
            final boolean areAllKnown = result.queuePairs() <= ScaleCut.MOST_KNOWN;
            if (areAllKnown) {
                rows.add(phases(result, isWarm));
            }
            if (areAllKnown && result.cuts().size() >= MANY_CUTS) {
                rows.add(course(result));
            }
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

    private static BenchRow course(final ScaleResult result) {
        final int cuts = result.cuts().size();
        final StringJoiner parts = new StringJoiner("; ", "", " ms");
        for (int part = 0; part < PARTS; part++) {
            final int from = part * cuts / PARTS;
            final int to = (part + 1) * cuts / PARTS;
            parts.add(OverheadBench.format(
                    "%.2f, %.2f", result.afterNs(from, to, 0.5) / 1e6, result.afterNs(from, to, 0.99) / 1e6));
        }
        return new BenchRow(
                OverheadBench.format("(e) of each fifth of %,d cuts: all after detection, p99", cuts),
                parts.toString(), "", true);
    }

    private static BenchRow phases(final ScaleResult result, final boolean isWarm) {
        final double afterMs = result.afterNs(0.5) / 1e6;
        final double slowestMs = result.afterNs(0.99) / 1e6;
        final boolean isJudged = isWarm && result.queuePairs() == 1;
        return new BenchRow(
                OverheadBench.format(
                        "(e) of these: detection; each: fence, exchange, replay; all after it, p99 of %,d",
                        Math.max(1, result.cuts().size() - 1)),
                OverheadBench.format(
                        "%.2f; %.2f, %.2f, %.2f; %.2f, %.2f ms (%,d standbys)",
                        result.medianNs(ScaleCut::detectNs) / 1e6, result.medianNs(ScaleCut::fenceNs) / 1e6,
                        result.medianNs(ScaleCut::exchangeNs) / 1e6, result.medianNs(ScaleCut::replayNs) / 1e6,
                        afterMs, slowestMs, result.medianNs(ScaleCut::standbys)),
                isJudged ? OverheadBench.format("%.0f, %.0f ms", MOST_AFTER_MS, MOST_SLOWEST_AFTER_MS) : "",
                !isJudged || afterMs <= MOST_AFTER_MS && slowestMs <= MOST_SLOWEST_AFTER_MS);
    }
}
