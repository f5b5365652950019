package io.vhca.harness.bench;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/**
 * What the rounds of (a) come to. Each round runs every benchmark on every device once, one after the other, and what
 * is said of two of them is the median of what each round says of them. One thread.
 */
final class OverheadFigures {
    static final String NULL = "null0";
    static final String BOND = "bond0";

    /** The profiler spreads a run's few start-up allocations over its operations. */
    private static final double NO_BYTES = 0.05;
    /** Of the null device's own time. */
    private static final double GOAL_RATIO = 0.6;

    private static final double CHAIN_GOAL_NS = 4;
    /** Of a post and a poll, 25 ns each. */
    private static final double TRACE_GOAL_NS = 50;

    private final Map<String, List<Double>> times = new TreeMap<>();
    private final Map<String, List<Double>> bytes = new TreeMap<>();

    /** One run of a benchmark on a device: nanoseconds and bytes an operation. */
    void add(final String benchmark, final String device, final double ns, final double allocated) {
        times.computeIfAbsent(key(benchmark, device), key -> new ArrayList<>()).add(ns);
        bytes.computeIfAbsent(key(benchmark, device), key -> new ArrayList<>()).add(allocated);
    }

    private static String key(final String benchmark, final String device) {
        return benchmark + " " + device;
    }

    private static double[] of(final Map<String, List<Double>> figures, final String benchmark, final String device) {
        final List<Double> found = figures.getOrDefault(key(benchmark, device), List.of());
        return found.stream().mapToDouble(Double::doubleValue).toArray();
    }

    private double[] times(final String benchmark, final String device) {
        return of(times, benchmark, device);
    }

    List<BenchRow> rows() {
        final List<BenchRow> rows = new ArrayList<>();
        final double[] cost = own(rows, "postAndPoll", "postSend + pollCq", "");
        rows.add(Rounds.ratio(
                "(a) the same / the null device's time", cost, times("postAndPoll", NULL), GOAL_RATIO, true));
        rows.add(bytesOf("(a) the bond's own allocation", Rounds.median(of(bytes, "postAndPoll", BOND))));
        own(rows, "chainsAndPoll", "chains of 8, polls of 16, for one request",
                OverheadBench.format("at most %.0f ns", CHAIN_GOAL_NS));
        rows.add(bytesOf(
                "(a) the bond's own allocation, chains", Rounds.median(of(bytes, "chainsAndPoll", BOND))));
        own(rows, "postAndPoll", PostPollBenchmark.DECLARED, "postSend + pollCq, queues singleThreaded", "");
        own(rows, "chainsAndPoll", PostPollBenchmark.DECLARED, "chains of 8, polls of 16, queues singleThreaded", "");
        own(rows, "postAndPollShared", "two threads with the same queues, postSend + pollCq", "");
        rows.add(BenchRow.figure(
                "(a) a copy and a number in front of the device, no bond: postSend + pollCq, chains",
                OverheadBench.format("%.1f, %.1f ns", copied("postAndPoll"), copied("chainsAndPoll"))));
        final double[] bond = times("postAndPoll", BOND);
        rows.add(BenchRow.figure(
                "(a) what tracing events, the default, adds",
                OverheadBench.format(
                        "%.1f ns", Rounds.median(less(bond, times("postAndPoll", PostPollBenchmark.SILENT))))));
        final double[] traced = times("postAndPoll", PostPollBenchmark.TRACED);
        final double tracing = Rounds.median(less(traced, bond));
        rows.add(new BenchRow(
                "(a) what tracing each request and completion adds", OverheadBench.format("%.1f ns", tracing),
                "at most 50 ns", tracing <= TRACE_GOAL_NS));
        // What the bond's own thread allocates meanwhile is more for an operation that takes longer.
        final double usual =
                Rounds.median(of(bytes, "postAndPoll", BOND)) * Rounds.median(traced) / Rounds.median(bond);
        final double all = Rounds.median(of(bytes, "postAndPoll", PostPollBenchmark.TRACED));
        rows.add(bytesOf("(a) its allocation", Math.max(0, all - usual)));
        final double[] checked = times("postAndPoll", PostPollBenchmark.CHECKED);
        rows.add(BenchRow.figure(
                "(a) what checks = full adds", OverheadBench.format("%.1f ns", Rounds.median(less(checked, bond)))));
        return rows;
    }

    /** What no layer that can send again does without. */
    private double copied(final String benchmark) {
        return Rounds.median(less(times(benchmark, CopyingBenchmark.COPIED), times(benchmark, NULL)));
    }

    /** The lines of one benchmark with and without the bond; what the bond takes itself, by round. */
    private double[] own(final List<BenchRow> rows, final String benchmark, final String what, final String goal) {
        return own(rows, benchmark, BOND, what, goal);
    }

    private double[] own(
            final List<BenchRow> rows, final String benchmark, final String bond, final String what,
            final String goal) {
        final double[] without = times(benchmark, NULL);
        final double[] with = times(benchmark, bond);
        final double[] own = less(with, without);
        rows.add(BenchRow.figure(
                "(a) " + what + ": null device, bond0",
                OverheadBench.format("%.1f, %.1f ns", Rounds.median(without), Rounds.median(with))));
        final double[] sorted = own.clone();
        Arrays.sort(sorted);
        rows.add(new BenchRow(
                "(a) the bond's own time",
                String.format(
                        Locale.ROOT, "%.1f ns (rounds %.1f .. %.1f)", Rounds.median(own), sorted[0],
                        sorted[sorted.length - 1]),
                goal,
                goal.isEmpty() || Rounds.median(own) <= CHAIN_GOAL_NS));
        return own;
    }

    private static double[] less(final double[] one, final double[] other) {
        final double[] less = new double[one.length];
        for (int i = 0; i < one.length; i++) {
            less[i] = one[i] - other[i];
        }
        return less;
    }

    private static BenchRow bytesOf(final String what, final double bytes) {
        return new BenchRow(what, OverheadBench.format("%.3f B", bytes), "0 B", bytes < NO_BYTES);
    }
}
