package io.vhca.harness.sim;

import java.io.IOException;
import java.io.PrintWriter;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Runs seeds for a person who watches: progress, then what was covered, then every bad seed with its history.
 *
 * <p>Blocks the caller. The only place of the simulator that looks at a clock: for the rate it shows, and for scenarios
 * that do not end.
 */
public final class SimJob {
    private static final long LOOK_INTERVAL_MS = 250;
    private static final long PLAIN_INTERVAL_MS = 10_000;
    private static final int MOST_REPORTS = 3;
    private static final long NS_PER_SECOND = 1_000_000_000L;

    private final SimOptions options;
    private final long firstSeed;
    private final long count;
    private final int threads;
    private final int mostBad;
    private final PrintWriter out;
    private final boolean isTerminal;
    private final @Nullable Path historyFile;

    /**
     * @param mostBad    stop after so many bad seeds
     * @param isTerminal progress on one line that is written over; else plain lines
     * @param historyFile where the whole history of the first bad seed is written, or null
     */
    public SimJob(
            final SimOptions options, final long firstSeed, final long count, final int threads, final int mostBad,
            final PrintWriter out, final boolean isTerminal, final @Nullable Path historyFile) {
        this.options = options;
        this.firstSeed = firstSeed;
        this.count = count;
        this.threads = threads;
        this.mostBad = mostBad;
        this.out = out;
        this.isTerminal = isTerminal;
        this.historyFile = historyFile;
    }

    /**
     * Runs. Returns 0 when the contract held in every scenario, else 1.
     *
     * @throws IOException when the history cannot be written
     * @throws IllegalStateException when not every seed could be run
     */
    public int run() throws IOException, InterruptedException {
        final SimRunner runner = new SimRunner(options, firstSeed, count, threads, mostBad);
        final List<RunResult> bad = Collections.synchronizedList(new ArrayList<>());
        out.printf(
                Locale.ROOT, "simulating seeds %d .. %d on %d threads, %s%n", firstSeed, firstSeed + count - 1, threads,
                options.isSoftOnly() ? "one soft RNIC a side" : "bond over 2 to 3 soft RNICs a side");
        out.flush();
        final long startNs = System.nanoTime();
        final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
        final Thread work = new Thread(() -> runQuietly(runner, bad, failure), "sim");
        work.start();
        final ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        final SpinGuard guard = new SpinGuard(
                runner, options.longestSeconds() * NS_PER_SECOND,
                thread -> threads.getThreadCpuTime(thread.threadId()));
        final long looks = isTerminal ? 1 : PLAIN_INTERVAL_MS / LOOK_INTERVAL_MS;
        for (long look = 1; work.isAlive(); look++) {
            work.join(LOOK_INTERVAL_MS);
            guard.look(System.nanoTime());
            if (look % looks == 0 || !work.isAlive()) {
                progress(runner, startNs);
            }
        }
        out.println();
        out.print(runner.summary().table((System.nanoTime() - startNs) / 1e9));
        for (int i = 0; i < bad.size(); i++) {
            out.println();
            if (i < MOST_REPORTS) {
                report(i, SimReport.of(bad.get(i), options));
            } else {
                out.println(SimReport.line(bad.get(i)));
            }
        }
        out.println();
        final boolean isGood = runner.summary().bad() == 0;
        out.flush();
        final Throwable failed = failure.get();
        if (failed != null || isGood && runner.summary().runs() != count) {
            throw new IllegalStateException(
                    "only " + runner.summary().runs() + " of " + count + " seeds were run: " + failed, failed);
        }
        out.println(isGood ? "every contract held in every scenario" : runner.summary().bad() + " bad seeds");
        out.flush();
        return isGood ? 0 : 1;
    }

    private void report(final int index, final SimReport report) throws IOException {
        out.print(report.text());
        if (index == 0 && historyFile != null) {
            Files.writeString(historyFile, report.history());
            out.println("the whole history is in " + historyFile);
        }
    }

    private void runQuietly(
            final SimRunner runner, final List<RunResult> bad, final AtomicReference<@Nullable Throwable> failure) {
        try {
            runner.run(result -> {
                bad.add(result);
                // At once, for who does not wait for the end.
                out.println((isTerminal ? "\n" : "") + SimReport.line(result));
            });
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (final RuntimeException | Error e) {
            failure.set(e);
        }
    }

    private void progress(final SimRunner runner, final long startNs) {
        final String line = runner.summary().line(count, (System.nanoTime() - startNs) / 1e9);
        if (isTerminal) {
            out.print("\r\u001b[K" + line);
        } else {
            out.println(line);
        }
        out.flush();
    }
}
