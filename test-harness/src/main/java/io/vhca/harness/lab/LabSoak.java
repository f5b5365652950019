package io.vhca.harness.lab;

import io.vhca.tool.console.TextTable;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.function.ToLongFunction;

/**
 * Looks at the processes of a long drill from time to time: resident memory, file descriptors, threads, and the RDMA
 * objects that the kernel counts. A thread of its own until {@link #close}.
 *
 * <p>The processes' heaps have a fixed size and are touched at the start, so that resident memory grows by native
 * memory alone.
 */
public final class LabSoak implements AutoCloseable {
    /** JVM flags without which the resident memory tells nothing. */
    static final List<String> JVM_FLAGS = List.of("-Xms64m", "-Xmx64m", "-XX:+AlwaysPreTouch");

    private static final long WARM_UP_SECONDS = 300;
    private static final long LAST_SECONDS = 600;
    private static final double MOST_GROWTH = 1.10;
    /** What a connection that is being made right now has more. */
    private static final int IN_FLIGHT = 4;

    private static final String LOOK =
            """
            p=$(pidof java) && p=${p%% *} || exit 1
            rss=$(awk '/^VmRSS/{print $2}' /proc/$p/status); th=$(awk '/^Threads/{print $2}' /proc/$p/status)
            fd=$(ls /proc/$p/fd | wc -l)
            rdma resource show | awk -v first="$rss $fd $th" '{ for (i = 1; i < NF; i++) n[$i] += $(i + 1) }
                END { print first, n["qp"] + 0, n["cm_id"] + 0, n["mr"] + 0, n["cq"] + 0, n["pd"] + 0 }'
            """;

    /** What one look saw; memory in KiB. */
    record Sample(
            long atSeconds,
            int machine,
            long rssKb,
            long fds,
            long threads,
            long qps,
            long ids,
            long mrs,
            long cqs,
            long pds) {}

    private final Lab lab;
    private final long everySeconds;
    private final PrintWriter out;
    private final long startNs = System.nanoTime();
    private final List<Sample> samples = new ArrayList<>();
    private final Thread thread;

    /**
     * @param everySeconds between two looks
     * @param out          what each saw, as it goes
     */
    LabSoak(final Lab lab, final long everySeconds, final PrintWriter out) {
        this.out = out;
        this.lab = lab;
        this.everySeconds = everySeconds;
        thread = Thread.ofPlatform().daemon().name("lab-soak").start(this::run);
    }

    private void run() {
        try {
            while (!Thread.currentThread().isInterrupted()) {
                TimeUnit.SECONDS.sleep(everySeconds);
                for (int machine = 1; machine <= Lab.MACHINES; machine++) {
                    look(machine);
                }
            }
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void look(final int machine) {
        final Machine.Outcome outcome = lab.machine(machine).exec(LOOK);
        if (outcome.code() == 0) {
            add(parse(TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - startNs), machine, outcome.output()));
        }
    }

    static Sample parse(final long atSeconds, final int machine, final String line) {
        final String[] words = line.strip().split(" ", -1);
        final long[] n = new long[8];
        for (int i = 0; i < n.length; i++) {
            n[i] = Long.parseLong(words[i]);
        }
        return new Sample(atSeconds, machine, n[0], n[1], n[2], n[3], n[4], n[5], n[6], n[7]);
    }

    private synchronized void add(final Sample sample) {
        samples.add(sample);
        out.println(sample);
        out.flush();
    }

    private synchronized List<Sample> taken() {
        return List.copyOf(samples);
    }

    /** One line for each machine every five minutes, and the last. */
    synchronized String table() {
        final TextTable table = new TextTable(
                "minute", "process", "resident MB", "descriptors", "threads", "QPs", "CM ids", "MRs", "CQs", "PDs");
        long nextSeconds = 0;
        for (int i = 0; i < samples.size(); i++) {
            final Sample sample = samples.get(i);
            if (sample.atSeconds >= nextSeconds || i >= samples.size() - Lab.MACHINES) {
                table.row(
                        String.valueOf(sample.atSeconds / 60),
                        sample.machine == 1 ? "sender" : "receiver",
                        String.format(Locale.ROOT, "%.1f", sample.rssKb / 1024.0),
                        String.valueOf(sample.fds),
                        String.valueOf(sample.threads),
                        String.valueOf(sample.qps),
                        String.valueOf(sample.ids),
                        String.valueOf(sample.mrs),
                        String.valueOf(sample.cqs),
                        String.valueOf(sample.pds));
                if (sample.machine == Lab.MACHINES) {
                    nextSeconds += 300;
                }
            }
        }
        return table.render();
    }

    /** What grew between the first minutes after the warm-up and the last ones; empty when nothing did. */
    static List<String> growth(final List<Sample> samples) {
        final List<String> grown = new ArrayList<>();
        for (int machine = 1; machine <= Lab.MACHINES; machine++) {
            final int number = machine;
            final List<Sample> own =
                    samples.stream().filter(sample -> sample.machine == number).toList();
            check(grown, own, "resident KiB", Sample::rssKb, true);
            check(grown, own, "file descriptors", Sample::fds, false);
            check(grown, own, "threads", Sample::threads, false);
            check(grown, own, "QPs", Sample::qps, false);
            check(grown, own, "CM ids", Sample::ids, false);
            check(grown, own, "MRs", Sample::mrs, false);
        }
        return grown;
    }

    private static void check(
            final List<String> grown,
            final List<Sample> own,
            final String what,
            final ToLongFunction<Sample> value,
            final boolean isMemory) {
        if (own.isEmpty() || own.getLast().atSeconds < WARM_UP_SECONDS + 2 * LAST_SECONDS) {
            return;
        }
        final long endSeconds = own.getLast().atSeconds;
        final double before = own.stream()
                .filter(sample -> sample.atSeconds >= WARM_UP_SECONDS
                        && sample.atSeconds < WARM_UP_SECONDS + LAST_SECONDS)
                .mapToLong(value)
                .average()
                .orElse(0);
        final double after = own.stream()
                .filter(sample -> sample.atSeconds >= endSeconds - LAST_SECONDS)
                .mapToLong(value)
                .average()
                .orElse(0);
        if (after > (isMemory ? before * MOST_GROWTH : before + IN_FLIGHT)) {
            grown.add(String.format(
                    Locale.ROOT,
                    "%s of the %s grew from %.1f to %.1f",
                    what,
                    own.getFirst().machine == 1 ? "sender" : "receiver",
                    before,
                    after));
        }
    }

    /** Prints table and verdict; true when nothing grew. */
    boolean show(final PrintWriter out) {
        out.println();
        out.print(table());
        final List<String> grown = growth(taken());
        grown.forEach(out::println);
        out.println(grown.isEmpty() ? "soak: nothing grew" : "soak: FAILED");
        out.flush();
        return grown.isEmpty();
    }

    @Override
    public void close() {
        thread.interrupt();
    }
}
