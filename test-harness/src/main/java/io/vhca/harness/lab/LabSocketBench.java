package io.vhca.harness.lab;

import io.vhca.harness.bench.BenchRow;
import io.vhca.harness.bench.BenchTalk;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

/**
 * Extended sockets on bond0 against rsockets on rxe0 and the kernel's TCP on the interface below, both by rstream, in
 * the same two machines, one after another. Ratios are taken within a round. One thread.
 */
public final class LabSocketBench {
    private static final String WIRE = "exs-waits";
    private static final int PING_BYTES = 64;
    private static final int WINDOW = 4;

    private static final double PING_GOAL = 1.15;
    private static final double STREAM_GOAL = 1.0;

    /** What is sent in one direction. */
    private enum Stream {
        SHORT("64 KB", 1 << 16, 100),
        LONG("1 MB", 1 << 20, 8);

        private final String text;
        private final int bytes;
        /** That rstream sends there, and then back. */
        private final int messages;

        Stream(final String text, final int bytes, final int messages) {
            this.text = text;
            this.bytes = bytes;
            this.messages = messages;
        }
    }

    private final Lab lab;
    private final PrintWriter out;
    private final boolean isQuick;
    private final int rounds;
    private final long roundNs;
    private final int pings;
    private final LabFigures figures = new LabFigures();

    public LabSocketBench(final Lab lab, final boolean isQuick, final PrintWriter out) {
        this.lab = lab;
        this.out = out;
        this.isQuick = isQuick;
        rounds = isQuick ? 2 : 5;
        roundNs = TimeUnit.MILLISECONDS.toNanos(isQuick ? 1_000 : 4_000);
        pings = isQuick ? 200 : 5_000; // as long as the socket's take
    }

    /** Runs all rounds. */
    public List<BenchRow> run() throws IOException, InterruptedException {
        lab.endJvms();
        lab.mend();
        lab.measureClocks();
        try (BenchTalk talk =
                LabBench.open(
                        lab, LabBench.BOND_OF_TWO, WINDOW, Stream.LONG.bytes, List.of(WIRE), 1)) {
            new LabWarmUp(talk, WIRE, isQuick, out).run(() -> own(talk));
            figures.clear();
            for (int round = 0; round < rounds; round++) {
                out.printf(Locale.ROOT, "  sockets, round %d of %d%n", round + 1, rounds);
                out.flush();
                if (round % 2 == 0) {
                    own(talk);
                }
                talk.idle(WIRE);
                rstream("rstream", false);
                rstream("tcp", true);
                if (round % 2 == 1) {
                    own(talk);
                }
            }
        }
        return rows();
    }

    private void own(final BenchTalk talk) throws IOException, InterruptedException {
        for (final Stream stream : Stream.values()) {
            final long busyNs = lab.busyNs();
            final long bytes = talk.stream(WIRE, stream.bytes, WINDOW, roundNs);
            add("exs", stream, bytes * 1e3 / roundNs, lab.busyNs() - busyNs, bytes);
        }
        figures.add("exs ping", roundNs / 2e3 / Math.max(1, talk.pingPong(WIRE, PING_BYTES, roundNs)));
    }

    private void rstream(final String name, final boolean isTcp) throws IOException, InterruptedException {
        final Rstream rstream = new Rstream(lab);
        for (final Stream stream : Stream.values()) {
            final Rstream.Run run = rstream.run(isTcp, stream.bytes, stream.messages, 1);
            add(name, stream, stream.bytes / run.us(), run.busyNs(), 2L * stream.bytes * stream.messages);
        }
        figures.add(name + " ping", rstream.run(isTcp, PING_BYTES, 1, pings).us());
    }

    /** @param busyNs what both machines worked for so many bytes */
    private void add(
            final String name, final Stream stream, final double megabytesPerSecond, final long busyNs,
            final long bytes) {
        figures.add(name + ' ' + stream.text, megabytesPerSecond);
        figures.add(name + ' ' + stream.text + " work", busyNs / 1e6 / Math.max(1, bytes / 1e6));
    }

    private List<BenchRow> rows() {
        final List<BenchRow> rows = new ArrayList<>();
        for (final Stream stream : Stream.values()) {
            final String size = ' ' + stream.text;
            rows.add(figures.figure("rstream on rxe0," + size, "rstream" + size, "MB/s"));
            rows.add(figures.figure("TCP on eth0," + size, "tcp" + size, "MB/s"));
            rows.add(figures.figure("exs on bond0," + size, "exs" + size, "MB/s"));
            rows.add(figures.ratio("exs / rstream," + size, "exs" + size, "rstream" + size, STREAM_GOAL, false));
            rows.add(figures.figure("rstream on rxe0, processors," + size, "rstream" + size + " work", "ms a MB"));
            rows.add(figures.figure("TCP on eth0, processors," + size, "tcp" + size + " work", "ms a MB"));
            rows.add(figures.figure("exs on bond0, processors," + size, "exs" + size + " work", "ms a MB"));
        }
        rows.add(figures.figure("rstream on rxe0, 64 bytes", "rstream ping", "us"));
        rows.add(figures.figure("TCP on eth0, 64 bytes", "tcp ping", "us"));
        rows.add(figures.figure("exs on bond0, 64 bytes", "exs ping", "us"));
        rows.add(figures.ratio("exs / rstream, 64 bytes", "exs ping", "rstream ping", PING_GOAL, true));
        return rows;
    }
}
