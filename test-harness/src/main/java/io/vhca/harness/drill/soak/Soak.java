package io.vhca.harness.drill.soak;

import io.vhca.tool.console.TextTable;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Looks at the processes of a long drill from time to time, and says at the end what has grown. A thread of its own
 * until {@link #close}.
 *
 * <p>The processes' heaps must have a fixed size and be touched at the start ({@link #JVM_FLAGS}), so that resident
 * memory grows by native memory alone.
 */
public final class Soak implements AutoCloseable {
    /** What is wrong with a drill of which {@link #show} is false. */
    public static final String WRONG = "what the processes hold grew, or was not looked at to the end";

    /** JVM flags without which the resident memory tells nothing. */
    public static final List<String> JVM_FLAGS = List.of("-Xms64m", "-Xmx64m", "-XX:+AlwaysPreTouch");

    private static final long LONG_LOOK_SECONDS = 30;
    /** At a drill that lasts for less than so many of those. */
    private static final long SHORT_LOOKS = 4;

    private static final long WARM_UP_SECONDS = 300;
    private static final long LAST_SECONDS = 600;
    private static final long ROW_SECONDS = 300;
    private static final long ENOUGH_SECONDS = WARM_UP_SECONDS + 2 * LAST_SECONDS;
    /** The last look of a drill that was long enough is somewhat before its end. */
    private static final long LATE_SECONDS = 60;

    /** What is looked at. Called by the soak's thread alone. */
    @FunctionalInterface
    public interface Look {
        /** The values of a process, in the order of the measures; null where it is not there just now. */
        long @Nullable [] at(int process);
    }

    /** What one look saw. */
    public record Sample(long atSeconds, int process, long[] values) {
        @Override
        public String toString() {
            return "after " + atSeconds + " s, process " + process + ": " + Arrays.toString(values);
        }
    }

    private final List<Measure> measures;
    private final List<String> processes;
    private final Look look;
    private final long everySeconds;
    private final PrintWriter out;
    private final long startNs = System.nanoTime();
    private final List<Sample> samples = new ArrayList<>();
    private final Thread thread;

    /**
     * Begins.
     *
     * @param processes    their names, as in tables
     * @param everySeconds between two looks
     * @param out          what each saw, as it goes
     */
    public Soak(
            final List<Measure> measures, final List<String> processes, final Look look, final long everySeconds,
            final PrintWriter out) {
        this.measures = measures;
        this.processes = processes;
        this.look = look;
        this.everySeconds = everySeconds;
        this.out = out;
        thread = Thread.ofPlatform().daemon().name("vhca-soak").start(this::run);
    }

    /** Between two looks at a drill that lasts so long: half a minute, and in a short one less, for it to have some. */
    public static long everySeconds(final long askedSeconds) {
        return Math.clamp(askedSeconds / SHORT_LOOKS, 1, LONG_LOOK_SECONDS);
    }

    private void run() {
        try {
            while (!Thread.currentThread().isInterrupted()) {
                TimeUnit.SECONDS.sleep(everySeconds);
                for (int process = 0; process < processes.size(); process++) {
                    look(process);
                }
            }
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void look(final int process) {
        final long[] values;
        try {
            values = look.at(process);
        } catch (final RuntimeException e) {
            // One look is missing, as where the process is just ending; those that follow are made.
            say("soak: no look at the " + processes.get(process) + ": " + e);
            return;
        }
        if (values != null) {
            add(new Sample(TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - startNs), process, values));
        }
    }

    private synchronized void add(final Sample sample) {
        samples.add(sample);
        say(sample.toString());
    }

    private synchronized void say(final String text) {
        out.println(text);
        out.flush();
    }

    private synchronized List<Sample> taken() {
        return List.copyOf(samples);
    }

    /** One line for each process every five minutes, and the last. */
    static String table(final List<Measure> measures, final List<String> processes, final List<Sample> samples) {
        final TextTable table = new TextTable(Stream.concat(
                        Stream.of("minute", "process"), measures.stream().map(Measure::column))
                .toArray(String[]::new));
        final long[] nextSeconds = new long[processes.size()];
        for (int i = 0; i < samples.size(); i++) {
            final Sample sample = samples.get(i);
            if (sample.atSeconds >= nextSeconds[sample.process] || i >= samples.size() - processes.size()) {
                nextSeconds[sample.process] = sample.atSeconds + ROW_SECONDS;
                final List<String> row = new ArrayList<>();
                row.add(String.valueOf(sample.atSeconds / 60));
                row.add(processes.get(sample.process));
                for (int m = 0; m < measures.size(); m++) {
                    row.add(measures.get(m).show(sample.values[m]));
                }
                table.row(row.toArray(String[]::new));
            }
        }
        return table.render();
    }

    /**
     * What grew between the first minutes after the warm-up and the last ones; empty where nothing did.
     *
     * @param askedSeconds how long the drill was to last; its end was looked at
     * @return null where the looks do not reach far enough to tell
     */
    static @Nullable List<String> growth(
            final List<Measure> measures, final List<String> processes, final List<Sample> samples,
            final long askedSeconds) {
        final long leastSeconds = Math.max(ENOUGH_SECONDS - LATE_SECONDS, askedSeconds - LAST_SECONDS);
        final List<String> grown = new ArrayList<>();
        for (int process = 0; process < processes.size(); process++) {
            final int number = process;
            final List<Sample> own =
                    samples.stream().filter(sample -> sample.process == number).toList();
            if (own.isEmpty() || own.getLast().atSeconds < leastSeconds) {
                return null;
            }
            final long endSeconds = own.getLast().atSeconds;
            for (int m = 0; m < measures.size(); m++) {
                final double before = mean(own, m, WARM_UP_SECONDS, WARM_UP_SECONDS + LAST_SECONDS - 1);
                final double after = mean(own, m, endSeconds - LAST_SECONDS, endSeconds);
                if (measures.get(m).hasGrown(before, after)) {
                    grown.add(String.format(
                            Locale.ROOT, "%s of the %s grew from %.1f to %.1f", measures.get(m).name(),
                            processes.get(process), before, after));
                }
            }
        }
        return grown;
    }

    private static double mean(
            final List<Sample> samples, final int measure, final long fromSeconds, final long toSeconds) {
        return samples.stream()
                .filter(sample -> sample.atSeconds >= fromSeconds && sample.atSeconds <= toSeconds)
                .mapToLong(sample -> sample.values[measure])
                .average()
                .orElse(0);
    }

    /**
     * Prints table and verdict; true where nothing grew, or the drill was too short to tell.
     *
     * @param askedSeconds how long the drill was to last: one that was long enough must have been looked at
     */
    public boolean show(final PrintWriter to, final long askedSeconds) {
        to.println();
        to.print(table(measures, processes, taken()));
        final List<String> grown = growth(measures, processes, taken(), askedSeconds);
        final boolean isLong = askedSeconds >= ENOUGH_SECONDS;
        if (grown == null && isLong) {
            to.println("soak: FAILED, the processes were not looked at to the end");
        } else if (grown == null) {
            to.println("soak: too short to tell whether anything grows, which takes "
                    + ENOUGH_SECONDS / 60 + " minutes");
        } else {
            grown.forEach(to::println);
            to.println(grown.isEmpty() ? "soak: nothing grew" : "soak: FAILED");
        }
        to.flush();
        return grown == null ? !isLong : grown.isEmpty();
    }

    @Override
    public void close() {
        thread.interrupt();
    }
}
