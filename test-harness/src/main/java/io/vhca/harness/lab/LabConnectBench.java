package io.vhca.harness.lab;

import io.vhca.harness.bench.BenchRow;
import io.vhca.harness.bench.Rounds;
import io.vhca.harness.drill.child.ConnectChild;
import io.vhca.harness.drill.fabric.ChildProcess;
import io.vhca.harness.drill.protocol.DrillLine;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.Writer;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * Many queue pairs that are connected at once, on rxe0 and on bond0, against rdmacm-utils' cmtime on rxe0, in the same
 * two machines, one after another. Ratios are taken within a round. One thread.
 */
public final class LabConnectBench {
    private static final List<String> DEVICES = List.of("rxe0", "bond0");
    private static final List<Integer> COUNTS = List.of(16, 128);
    private static final String PORT = "18518";
    private static final double GOAL = 1.3;
    /** In an emulated machine code is compiled slowly. */
    private static final int WARM_UPS = 30;

    private static final long PATIENCE_SECONDS = 300;
    private static final long LIMIT_NS = TimeUnit.SECONDS.toNanos(180);
    /** Of what cmtime tells, those by which a connection comes to stand. */
    private static final List<String> STEPS =
            List.of("create id", "bind addr", "resolve addr", "resolve route", "create qp", "connect");

    private final Lab lab;
    private final PrintWriter out;
    private final int rounds;
    private final LabFigures figures = new LabFigures();

    public LabConnectBench(final Lab lab, final boolean isQuick, final PrintWriter out) {
        this.lab = lab;
        this.out = out;
        rounds = isQuick ? 2 : 7;
    }

    /** A process in each machine that has the same device open. Owns both. */
    private final class Pair implements AutoCloseable {
        private final BlockingQueue<ChildProcess.Said> said = new LinkedBlockingQueue<>();
        private final List<LabPeer> peers = new ArrayList<>();
        private final DrillLine listening;

        Pair(final String device) throws IOException, InterruptedException {
            boolean isUp = false;
            try {
                for (int machine = Lab.MACHINES; machine > 0; machine--) {
                    final String role = machine == 1 ? "client" : "server";
                    final List<String> words = LabPeer.words(
                            List.of("vhca.bond=" + LabBench.BOND_OF_TWO), ConnectChild.class.getName(),
                            List.of(role, device));
                    peers.add(LabPeer.start(lab, machine, role, false, words, said));
                }
                listening = await("listening");
                await("up");
                isUp = true;
            } finally {
                if (!isUp) {
                    close();
                }
            }
        }

        private DrillLine await(final String kind) throws IOException, InterruptedException {
            final List<ChildProcess.Said> others = new ArrayList<>();
            while (true) {
                final ChildProcess.Said next = said.poll(PATIENCE_SECONDS, TimeUnit.SECONDS);
                if (next == null || next.line().kind().equals("died") || next.line().kind().equals("exited")) {
                    throw new IOException("'" + kind + "' was due, not " + next + "\n"
                            + String.join("\n", peers.stream().map(LabPeer::noise).toList()));
                }
                if (next.line().kind().equals(kind)) {
                    said.addAll(others);
                    return next.line();
                }
                others.add(next);
            }
        }

        /** Milliseconds until so many stand. */
        double connect(final int count) throws IOException, InterruptedException {
            peers.getLast().tell(DrillLine.of(
                    "connect", "host", listening.text("host"), "port", listening.text("port"), "count", count));
            return await("result").number("value") / 1e6;
        }

        @Override
        public void close() {
            peers.forEach(LabPeer::close);
        }
    }

    /** Runs all rounds. */
    public List<BenchRow> run() throws IOException, InterruptedException {
        lab.endJvms();
        lab.mend();
        lab.measureClocks();
        final List<BenchRow> rows = new ArrayList<>();
        try (Pair plain = new Pair(DEVICES.getFirst());
                Pair bond = new Pair(DEVICES.getLast())) {
            figures.add("first", bond.connect(COUNTS.getFirst()));
            rows.add(figures.figure(
                    "the first " + COUNTS.getFirst() + " of two processes on bond0", "first", "ms"));
            for (int warmUp = 0; warmUp < WARM_UPS; warmUp++) {
                plain.connect(COUNTS.getLast());
                bond.connect(COUNTS.getLast());
            }
            for (int round = 0; round < rounds; round++) {
                out.printf(Locale.ROOT, "  connects, round %d of %d%n", round + 1, rounds);
                out.flush();
                round(round, List.of(plain, bond));
            }
        }
        for (final int count : COUNTS) {
            final String name = " " + count;
            rows.add(figures.figure("cmtime on rxe0, " + count + " queue pairs", "cmtime" + name, "ms"));
            for (final String device : DEVICES) {
                rows.add(figures.figure("Java on " + device + ", " + count + " queue pairs", device + name, "ms"));
                rows.add(figures.ratio(
                        device + " / cmtime, " + count + " queue pairs", device + name, "cmtime" + name, GOAL, true));
            }
        }
        return rows;
    }

    /** @param pairs by device */
    private void round(final int round, final List<Pair> pairs) throws IOException, InterruptedException {
        for (final int count : COUNTS) {
            for (int n = 0; n <= pairs.size(); n++) {
                final int way = Rounds.place(round, n, pairs.size() + 1);
                if (way == pairs.size()) {
                    figures.add("cmtime " + count, cmtime(count));
                } else {
                    figures.add(DEVICES.get(way) + " " + count, pairs.get(way).connect(count));
                }
            }
        }
    }

    private double cmtime(final int count) throws IOException, InterruptedException {
        final String command = "cmtime -p " + PORT + " -c " + count;
        final Map<Integer, Machine.Outcome> outcomes = new LabJobs(
                        lab,
                        Map.of(
                                1, "barrier up; " + command + " -s $(address 2 0); code=$?; barrier done; exit $code",
                                // The server serves for ever.
                                2, command + " -b $(address 2 0) & sleep 1; barrier up; barrier done; kill $!"),
                        LIMIT_NS,
                        new PrintWriter(Writer.nullWriter()))
                .run();
        final Machine.Outcome client = Objects.requireNonNull(outcomes.get(1));
        if (client.code() != 0) {
            throw new IOException("'" + command + "' failed in the machines: " + outcomes);
        }
        return milliseconds(client.output());
    }

    /** The sum of the steps' first columns. */
    static double milliseconds(final String output) throws IOException {
        double sum = 0;
        int steps = 0;
        for (final String line : output.lines().toList()) {
            final int colon = line.indexOf(':');
            if (colon > 0 && STEPS.contains(line.substring(0, colon).strip())) {
                sum += Double.parseDouble(line.substring(colon + 1).strip().split(" +")[0]);
                steps++;
            }
        }
        if (steps < STEPS.size() - 1) {
            throw new IOException("no figures of all steps in: " + output);
        }
        return sum;
    }
}
