package io.vhca.harness.bench;

import io.vhca.harness.drill.ChildProcess;
import io.vhca.harness.drill.DrillLine;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * (b) and (c): the soft RNIC against plain UDP, the bond against the soft RNIC, between two processes. Every round
 * measures all of them one after the other, and ratios are taken within a round, so that what disturbs the machine
 * disturbs all alike. One thread.
 */
final class WireBench {
    static final List<String> WIRES = List.of("udp", "soft0", "bond0");

    private static final int WINDOW = 32;
    private static final int STREAM_BYTES = 4096;
    private static final int PING_BYTES = 64;
    private static final String SERVER = "127.78.1.1";
    private static final String CLIENT = "127.78.2.1";
    private static final long PATIENCE_SECONDS = 90;
    private static final double SOFT_GOAL = 0.70;
    private static final double BOND_GOAL = 0.97;

    private final BlockingQueue<ChildProcess.Said> said = new LinkedBlockingQueue<>();
    /** MB/s by wire and round. */
    private final double[][] streams;
    /** Microseconds by wire and round. */
    private final double[][] pings;

    private final int rounds;
    private final long roundNs;

    WireBench(final boolean isQuick) {
        rounds = isQuick ? 3 : 11;
        streams = new double[WIRES.size()][rounds];
        pings = new double[WIRES.size()][rounds];
        roundNs = TimeUnit.MILLISECONDS.toNanos(isQuick ? 500 : 1_500);
    }

    List<BenchRow> run(final PrintWriter progress) throws IOException, InterruptedException {
        try (ChildProcess server = start("server", SERVER, CLIENT);
                ChildProcess client = start("client", CLIENT, SERVER)) {
            for (int i = 0; i < 2; i++) {
                final DrillLine listening = await("server", "listening");
                client.tell(DrillLine.of("go", "host", listening.text("host"), "port", listening.text("port")));
            }
            await("server", "up");
            await("client", "up");
            for (final String wire : WIRES) {
                measure(server, client, wire, "stream", STREAM_BYTES);
                measure(server, client, wire, "pingpong", PING_BYTES);
            }
            for (int round = 0; round < rounds; round++) {
                progress.println("  round " + (round + 1) + " of " + rounds);
                progress.flush();
                for (int i = 0; i < WIRES.size(); i++) {
                    // Every other round backwards: none is always the one after another.
                    final int index = round % 2 == 0 ? i : WIRES.size() - 1 - i;
                    final String wire = WIRES.get(index);
                    streams[index][round] = measure(server, client, wire, "stream", STREAM_BYTES) * 1e3 / roundNs;
                    pings[index][round] =
                            roundNs / 1e3 / Math.max(1, measure(server, client, wire, "pingpong", PING_BYTES));
                }
            }
        }
        return rows();
    }

    private ChildProcess start(final String role, final String own, final String peer) throws IOException {
        return ChildProcess.start(
                role,
                List.of(),
                List.of(
                        "vhca.soft=soft0=" + own + ",soft1=" + own.replace(".1.1", ".1.2").replace(".2.1", ".2.2"),
                        "vhca.bond=bond0: mode=active-backup members=soft0,soft1"),
                BenchPeer.class,
                List.of(
                        role, own, peer, String.valueOf(WINDOW), String.valueOf(STREAM_BYTES),
                        String.join(",", WIRES)),
                said);
    }

    private long measure(
            final ChildProcess server, final ChildProcess client, final String wire, final String what, final int size)
            throws IOException, InterruptedException {
        server.tell(DrillLine.of("serve", "wire", wire, "size", size, "echo", what.equals("pingpong")));
        await("server", "serving");
        client.tell(DrillLine.of(what, "wire", wire, "size", size, "window", WINDOW, "ns", roundNs));
        return await("client", "result").number("value");
    }

    private DrillLine await(final String child, final String kind) throws IOException, InterruptedException {
        while (true) {
            final ChildProcess.Said next = said.poll(PATIENCE_SECONDS, TimeUnit.SECONDS);
            if (next == null) {
                throw new IOException(
                        "the " + child + " said nothing for " + PATIENCE_SECONDS + " s, '" + kind + "' was due");
            }
            if (next.child().equals(child) && next.line().kind().equals(kind)) {
                return next.line();
            }
            if (next.line().kind().equals("died") || next.line().kind().equals("exited")) {
                throw new IOException("the " + next.child() + " of the benchmark failed: " + next.line().values());
            }
            if (next.line().kind().equals("up")) {
                said.add(next);
            }
        }
    }

    private List<BenchRow> rows() {
        final List<BenchRow> rows = new ArrayList<>();
        for (int i = 0; i < WIRES.size(); i++) {
            rows.add(BenchRow.figure(
                    "(b) throughput of " + name(i) + ", 4096 bytes",
                    OverheadBench.format("%.0f MB/s", median(streams[i]))));
        }
        rows.add(ratio("(b) soft0 / plain UDP, throughput", streams[1], streams[0], SOFT_GOAL));
        rows.add(ratio("(c) bond0 / soft0, throughput", streams[2], streams[1], BOND_GOAL));
        for (int i = 0; i < WIRES.size(); i++) {
            rows.add(BenchRow.figure(
                    "(b) round trip of " + name(i) + ", 64 bytes", OverheadBench.format("%.1f us", median(pings[i]))));
        }
        return rows;
    }

    private static String name(final int wire) {
        return wire == 0 ? "plain UDP" : WIRES.get(wire);
    }

    static BenchRow ratio(final String what, final double[] own, final double[] base, final double goal) {
        final double[] ratios = new double[own.length];
        for (int i = 0; i < own.length; i++) {
            ratios[i] = own[i] / Math.max(1e-9, base[i]);
        }
        final double[] sorted = ratios.clone();
        Arrays.sort(sorted);
        final double middle = median(ratios);
        return new BenchRow(
                what,
                OverheadBench.format(
                        "%.1f %% (rounds %.0f .. %.0f %%)",
                        middle * 100, sorted[0] * 100, sorted[sorted.length - 1] * 100),
                OverheadBench.format("at least %.0f %%", goal * 100),
                middle >= goal);
    }

    /** The middle of the values; the array is left as it is. */
    static double median(final double[] values) {
        final double[] sorted = values.clone();
        Arrays.sort(sorted);
        final int middle = sorted.length / 2;
        return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
    }
}
