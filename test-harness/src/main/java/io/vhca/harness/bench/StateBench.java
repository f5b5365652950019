package io.vhca.harness.bench;

import io.vhca.harness.drill.StateResult;
import io.vhca.harness.drill.StateRun;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.Arrays;
import java.util.List;

/** (i): what it costs a bond of many queue pairs that its devices are asked for their state, and that it is dumped. */
final class StateBench {
    private static final int QUEUE_PAIRS = 1_000;
    private static final int FEW = 50;
    private static final double LEAST_RATIO = 0.99;
    private static final double MOST_MS = 20;

    private StateBench() {}

    static List<BenchRow> run(final boolean isQuick, final PrintWriter progress)
            throws IOException, InterruptedException {
        final int queuePairs = isQuick ? FEW : QUEUE_PAIRS;
        final StateRun run = isQuick
                ? new StateRun(progress, queuePairs, 1, 300, 1)
                : new StateRun(progress, queuePairs, 21, 3_000, 21);
        return rows(queuePairs, run.run());
    }

    /** A row each for the rate, the pauses, and what the peer thought of them. */
    static List<BenchRow> rows(final int queuePairs, final StateResult result) {
        final double longestMs = Arrays.stream(result.pausesNs()).max().orElse(0) / 1e6;
        final double medianMs =
                Rounds.median(Arrays.stream(result.pausesNs()).mapToDouble(ns -> ns / 1e6).toArray());
        final String many = OverheadBench.format("%,d queue pairs", queuePairs);
        return List.of(
                Rounds.ratio("(i) WRITEs over " + many + ", state_interval = 1s / 0", result.on(), result.off(),
                        LEAST_RATIO, false),
                new BenchRow(
                        "(i) what a dump of " + many + " keeps the data path",
                        OverheadBench.format("%.1f ms (longest %.1f)", medianMs, longestMs),
                        OverheadBench.format("at most %.0f ms", MOST_MS),
                        longestMs <= MOST_MS),
                new BenchRow(
                        "(i) failovers because of it", String.valueOf(result.failovers()), "0",
                        result.failovers() == 0));
    }
}
