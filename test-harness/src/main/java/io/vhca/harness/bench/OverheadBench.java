package io.vhca.harness.bench;

import java.util.List;
import java.util.Locale;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.ChainedOptionsBuilder;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;

/** (a) The bond's own cost per operation, by JMH with its allocation profiler. */
final class OverheadBench {
    /**
     * Of many short iterations: whatever else the machine does only adds to some of them, and what an operation takes
     * by itself is what the quickest have in common.
     */
    private static final double QUICKEST = 10;

    private OverheadBench() {}

    /** @param flags what the measured JVMs are started with besides */
    static List<BenchRow> run(final boolean isQuick, final boolean isVerbose, final List<String> flags)
            throws RunnerException {
        // Two users of one machine would else collide on JMH's lock file.
        System.setProperty("jmh.ignoreLock", "true");
        final OverheadFigures figures = new OverheadFigures();
        for (int round = 0; round < (isQuick ? 1 : 5); round++) {
            final ChainedOptionsBuilder options = new OptionsBuilder()
                    .include(PostPollBenchmark.class.getName())
                    .include(SharedQueueBenchmark.class.getName())
                    .include(CopyingBenchmark.class.getName())
                    .addProfiler(GCProfiler.class)
                    .verbosity(isVerbose ? VerboseMode.NORMAL : VerboseMode.SILENT)
                    .forks(1)
                    .warmupIterations(isQuick ? 1 : 5)
                    .measurementIterations(isQuick ? 10 : 100)
                    .warmupTime(TimeValue.milliseconds(isQuick ? 200 : 700))
                    .measurementTime(TimeValue.milliseconds(20))
                    .jvmArgsAppend(flags.toArray(String[]::new))
                    .shouldFailOnError(true);
            for (final RunResult result : new Runner(options.build()).run()) {
                final String benchmark = result.getParams().getBenchmark();
                figures.add(
                        benchmark.substring(benchmark.lastIndexOf('.') + 1),
                        result.getParams().getParam("device"),
                        result.getPrimaryResult().getStatistics().getPercentile(QUICKEST),
                        allocated(result));
            }
        }
        return figures.rows();
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
