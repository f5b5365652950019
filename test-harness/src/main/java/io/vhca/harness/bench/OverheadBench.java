package io.vhca.harness.bench;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.results.Result;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.ChainedOptionsBuilder;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;

/** (a) The bond's own cost per operation, by JMH with its allocation profiler. */
final class OverheadBench {
    private static final double GOAL_NS = 25;
    /** Of a post and a poll, 25 ns each. */
    private static final double TRACE_GOAL_NS = 50;
    /** Of many short iterations: what else the machine does hits some of them, and is no cost of the bond's. */
    private static final double MEDIAN = 50;

    /** The profiler spreads a run's few start-up allocations over its operations. */
    private static final double NO_BYTES = 0.05;

    private OverheadBench() {}

    static List<BenchRow> run(final boolean isQuick, final boolean isVerbose) throws RunnerException {
        // Two users of one machine would else collide on JMH's lock file.
        System.setProperty("jmh.ignoreLock", "true");
        final ChainedOptionsBuilder options = new OptionsBuilder()
                .include(PostPollBenchmark.class.getName())
                .addProfiler(GCProfiler.class)
                .verbosity(isVerbose ? VerboseMode.NORMAL : VerboseMode.SILENT)
                .forks(isQuick ? 1 : 3)
                .warmupIterations(isQuick ? 3 : 5)
                .measurementIterations(isQuick ? 10 : 25)
                .warmupTime(TimeValue.seconds(1))
                .measurementTime(TimeValue.milliseconds(200))
                .shouldFailOnError(true);
        final Collection<RunResult> results = new Runner(options.build()).run();
        double nullNs = 0;
        double bondNs = 0;
        double tracedNs = 0;
        double checkedNs = 0;
        double bytes = 0;
        double tracedBytes = 0;
        double error = 0;
        for (final RunResult result : results) {
            final String device = result.getParams().getParam("device");
            final Result<?> primary = result.getPrimaryResult();
            if (PostPollBenchmark.TRACED.equals(device)) {
                tracedNs = primary.getStatistics().getPercentile(MEDIAN);
                tracedBytes = allocated(result);
            } else if (PostPollBenchmark.CHECKED.equals(device)) {
                checkedNs = primary.getStatistics().getPercentile(MEDIAN);
            } else if ("bond0".equals(device)) {
                bondNs = primary.getStatistics().getPercentile(MEDIAN);
                error += primary.getStatistics().getStandardDeviation();
                bytes = allocated(result);
            } else {
                nullNs = primary.getStatistics().getPercentile(MEDIAN);
                error += primary.getStatistics().getStandardDeviation();
            }
        }
        final List<BenchRow> rows = new ArrayList<>();
        rows.add(BenchRow.figure("(a) postSend + pollCq, null device", format("%.1f ns/op", nullNs)));
        rows.add(BenchRow.figure("(a) the same through bond0", format("%.1f ns/op", bondNs)));
        final double cost = bondNs - nullNs;
        rows.add(new BenchRow(
                "(a) the bond's own time",
                format("%.1f ns/op (+- %.1f)", cost, error),
                "at most 25 ns/op",
                cost <= GOAL_NS));
        rows.add(new BenchRow(
                "(a) the bond's own allocation", format("%.3f B/op", bytes), "0 B/op", bytes < NO_BYTES));
        final double tracing = tracedNs - bondNs;
        rows.add(new BenchRow(
                "(a) what tracing each request and completion adds", format("%.1f ns/op", tracing),
                "at most 50 ns/op", tracing <= TRACE_GOAL_NS));
        // What the bond's own thread allocates meanwhile is more for an operation that takes longer.
        final double own = Math.max(0, tracedBytes - bytes * tracedNs / bondNs);
        rows.add(new BenchRow("(a) its allocation", format("%.3f B/op", own), "0 B/op", own < NO_BYTES));
        rows.add(BenchRow.figure("(a) what checks = full adds", format("%.1f ns/op", checkedNs - bondNs)));
        return rows;
    }

    private static double allocated(final RunResult result) {
        for (final String name : result.getSecondaryResults().keySet()) {
            if (name.contains("gc.alloc.rate.norm")) {
                return result.getSecondaryResults().get(name).getScore();
            }
        }
        throw new IllegalStateException(
                "the allocation profiler gave nothing: " + result.getSecondaryResults().keySet());
    }

    static String format(final String pattern, final Object... args) {
        return String.format(Locale.ROOT, pattern, args);
    }
}
