package io.vhca.harness.lab;

import io.vhca.harness.bench.BenchPeer;
import io.vhca.harness.bench.BenchRow;
import io.vhca.harness.drill.ChildProcess;
import io.vhca.harness.drill.DrillLine;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * perftest's C programs on rxe0, our Java programs on rxe0 and on bond0, in the same two machines, one after another.
 * Each round measures all of them, and ratios are taken within a round, so that what disturbs this machine disturbs all
 * alike. One thread.
 */
public final class LabBench {
    private static final String DEVICE = "rxe0";
    private static final String BOND = "bond0";
    private static final int PING_BYTES = 64;
    private static final int STREAM_BYTES = 65_536;
    private static final int WINDOW = 32;
    private static final long PATIENCE_SECONDS = 120;
    private static final double LATENCY_GOAL = 1.10;
    private static final double BANDWIDTH_GOAL = 0.95;
    private static final double BOND_LATENCY_GOAL = 1.02;
    private static final double BOND_BANDWIDTH_GOAL = 0.98;

    private final Lab lab;
    private final int rounds;
    private final long roundNs;
    private final int pings;
    private final int streams;
    private final PrintWriter out;
    private final BlockingQueue<ChildProcess.Said> said = new LinkedBlockingQueue<>();
    /** Figures by name, one a round. */
    private final Map<String, List<Double>> figures = new TreeMap<>();

    public LabBench(final Lab lab, final boolean isQuick, final PrintWriter out) {
        this.lab = lab;
        this.out = out;
        rounds = isQuick ? 2 : 7;
        roundNs = TimeUnit.MILLISECONDS.toNanos(isQuick ? 1_000 : 4_000);
        pings = isQuick ? 1_000 : 4_000;
        streams = isQuick ? 100 : 400;
    }

    /** Runs all rounds. */
    public List<BenchRow> run() throws IOException, InterruptedException {
        lab.endJvms();
        lab.mend();
        lab.measureClocks();
        try (LabPeer server = start("server", 2);
                LabPeer client = start("client", 1)) {
            connect(server, client);
            for (final String device : List.of(DEVICE, BOND)) {
                warmUp(server, client, device);
            }
            for (int round = 0; round < rounds; round++) {
                out.printf("  round %d of %d%n", round + 1, rounds);
                out.flush();
                round(server, client, round % 2 == 0 ? List.of(DEVICE, BOND) : List.of(BOND, DEVICE));
            }
        }
        return rows();
    }

    private LabPeer start(final String role, final int machine) throws IOException {
        final List<String> words = ChildProcess.command(
                List.of("vhca.bond=bond0: mode=active-backup members=rxe0,rxe1 path_timeout=5s"),
                BenchPeer.class,
                List.of(
                        role,
                        "10.77.0." + machine,
                        "10.77.0." + Lab.peer(machine),
                        String.valueOf(WINDOW),
                        String.valueOf(STREAM_BYTES),
                        DEVICE + "," + BOND));
        return LabPeer.start(lab, machine, role, false, words, said);
    }

    private void connect(final LabPeer server, final LabPeer client) throws IOException, InterruptedException {
        for (int i = 0; i < 2; i++) {
            final DrillLine listening = await(server, client, "server", "listening");
            client.tell(DrillLine.of("go", "host", listening.text("host"), "port", listening.text("port")));
        }
        await(server, client, "server", "up");
        await(server, client, "client", "up");
    }

    private void warmUp(final LabPeer server, final LabPeer client, final String device)
            throws IOException, InterruptedException {
        measure(server, client, device, "pingpong", PING_BYTES);
        measure(server, client, device, "stream", STREAM_BYTES);
    }

    private void round(final LabPeer server, final LabPeer client, final List<String> devices)
            throws IOException, InterruptedException {
        // The server polls while it serves: it must stand aside while C runs.
        server.tell(DrillLine.of("idle", "wire", DEVICE, "size", 0));
        final Perftest perftest = new Perftest(lab, DEVICE);
        add("perftest latency", perftest.latencyUs("ib_send_lat", PING_BYTES, pings));
        add("perftest bandwidth", perftest.megabytesPerSecond("ib_send_bw", STREAM_BYTES, streams));
        add("ib_write_lat", perftest.latencyUs("ib_write_lat", PING_BYTES, pings));
        add("ib_read_lat", perftest.latencyUs("ib_read_lat", PING_BYTES, pings));
        for (final String device : devices) {
            final long trips = measure(server, client, device, "pingpong", PING_BYTES);
            add(device + " latency", roundNs / 2e3 / Math.max(1, trips));
            add(device + " bandwidth", measure(server, client, device, "stream", STREAM_BYTES) * 1e3 / roundNs);
        }
    }

    private void add(final String name, final double figure) {
        figures.computeIfAbsent(name, key -> new ArrayList<>()).add(figure);
    }

    private long measure(
            final LabPeer server, final LabPeer client, final String device, final String what, final int size)
            throws IOException, InterruptedException {
        server.tell(DrillLine.of("serve", "wire", device, "size", size, "echo", what.equals("pingpong")));
        await(server, client, "server", "serving");
        client.tell(DrillLine.of(what, "wire", device, "size", size, "window", WINDOW, "ns", roundNs));
        return await(server, client, "client", "result").number("value");
    }

    private DrillLine await(final LabPeer server, final LabPeer client, final String peer, final String kind)
            throws IOException, InterruptedException {
        while (true) {
            final ChildProcess.Said next = said.poll(PATIENCE_SECONDS, TimeUnit.SECONDS);
            if (next == null) {
                throw new IOException("the " + peer + " said nothing for " + PATIENCE_SECONDS + " s, '" + kind
                        + "' was due\n" + server.noise() + client.noise());
            }
            if (next.child().equals(peer) && next.line().kind().equals(kind)) {
                return next.line();
            }
            if (next.line().kind().equals("died") || next.line().kind().equals("exited")) {
                throw new IOException("the " + next.child() + " of the benchmark failed: " + next.line().values()
                        + "\n" + server.noise() + client.noise());
            }
            if (next.line().kind().equals("up")) {
                said.add(next);
            }
        }
    }

    private List<BenchRow> rows() {
        return List.of(
                figure("ib_send_lat, 64 bytes", "perftest latency", "us"),
                figure("Java on rxe0, SEND, 64 bytes", DEVICE + " latency", "us"),
                figure("Java on bond0, SEND, 64 bytes", BOND + " latency", "us"),
                ratio("Java on rxe0 / ib_send_lat", DEVICE + " latency", "perftest latency", LATENCY_GOAL, true),
                ratio("bond0 / rxe0, latency", BOND + " latency", DEVICE + " latency", BOND_LATENCY_GOAL, true),
                figure("ib_send_bw, 64 KiB", "perftest bandwidth", "MB/s"),
                figure("Java on rxe0, SEND, 64 KiB", DEVICE + " bandwidth", "MB/s"),
                figure("Java on bond0, SEND, 64 KiB", BOND + " bandwidth", "MB/s"),
                ratio("Java on rxe0 / ib_send_bw", DEVICE + " bandwidth", "perftest bandwidth", BANDWIDTH_GOAL, false),
                ratio(
                        "bond0 / rxe0, bandwidth", BOND + " bandwidth", DEVICE + " bandwidth", BOND_BANDWIDTH_GOAL,
                        false),
                figure("ib_write_lat, 64 bytes", "ib_write_lat", "us"),
                figure("ib_read_lat, 64 bytes", "ib_read_lat", "us"));
    }

    private BenchRow figure(final String what, final String name, final String unit) {
        return new BenchRow(what, String.format(Locale.ROOT, "%.1f %s", median(values(name)), unit), "", true);
    }

    private BenchRow ratio(
            final String what, final String own, final String base, final double goal, final boolean isCost) {
        final double[] above = values(own);
        final double[] below = values(base);
        final double[] ratios = new double[above.length];
        for (int i = 0; i < ratios.length; i++) {
            ratios[i] = above[i] / Math.max(1e-9, below[i]);
        }
        final double middle = median(ratios);
        Arrays.sort(ratios);
        return new BenchRow(
                what,
                String.format(
                        Locale.ROOT, "%.2f (rounds %.2f .. %.2f)", middle, ratios[0], ratios[ratios.length - 1]),
                String.format(Locale.ROOT, isCost ? "at most %.2f" : "at least %.2f", goal),
                isCost ? middle <= goal : middle >= goal);
    }

    private double[] values(final String name) {
        final @Nullable List<Double> list = figures.get(name);
        return list == null ? new double[] {0} : list.stream().mapToDouble(Double::doubleValue).toArray();
    }

    /** The middle of the values; the array is left as it is. */
    static double median(final double[] values) {
        final double[] sorted = values.clone();
        Arrays.sort(sorted);
        final int middle = sorted.length / 2;
        return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
    }
}
