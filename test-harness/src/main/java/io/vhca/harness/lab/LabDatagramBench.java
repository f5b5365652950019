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
 * Reliable datagram sockets on bond0 against the kernel's RDS on rxe0 and its UDP on the interface below, by one
 * program in each of the same two machines, one after another. Ratios are taken within a round. One thread.
 */
public final class LabDatagramBench {
    private static final String RDP = "rdp-waits";
    private static final String RDS = "kernel-rds";
    private static final String UDP = "kernel-udp";
    private static final List<String> WIRES = List.of(RDP, RDS, UDP);
    private static final int[] SIZES = {64, 8_192};
    private static final int PING_BYTES = 64;
    private static final int WINDOW = 32;

    private static final double PING_GOAL = 1.15;
    private static final double STREAM_GOAL = 1.0;
    /** So that UDP's window finds room. */
    private static final String BUFFERS = "sysctl -q -w net.core.rmem_max=4194304 net.core.wmem_max=4194304";

    private final Lab lab;
    private final PrintWriter out;
    private final boolean isQuick;
    private final int rounds;
    private final long roundNs;
    private final LabFigures figures = new LabFigures();

    public LabDatagramBench(final Lab lab, final boolean isQuick, final PrintWriter out) {
        this.lab = lab;
        this.out = out;
        this.isQuick = isQuick;
        rounds = isQuick ? 2 : 5;
        roundNs = TimeUnit.MILLISECONDS.toNanos(isQuick ? 1_000 : 4_000);
    }

    /** Runs all rounds. */
    public List<BenchRow> run() throws IOException, InterruptedException {
        lab.endJvms();
        lab.mend();
        lab.measureClocks();
        lab.must(BUFFERS);
        lab.loadModule("rds_rdma");
        try (BenchTalk talk =
                LabBench.open(lab, LabBench.BOND_OF_TWO, WINDOW, SIZES[SIZES.length - 1], WIRES, 1)) {
            new LabWarmUp(talk, RDP, isQuick, out).run(() -> measure(talk, RDP));
            figures.clear();
            for (int round = 0; round < rounds; round++) {
                out.printf(Locale.ROOT, "  datagrams, round %d of %d%n", round + 1, rounds);
                out.flush();
                round(talk, round);
            }
        } finally {
            lab.endJvms();
            lab.must("rmmod rds_rdma rds");
        }
        return rows();
    }

    private void round(final BenchTalk talk, final int round) throws IOException, InterruptedException {
        for (final String wire : round % 2 == 0 ? WIRES : WIRES.reversed()) {
            measure(talk, wire);
        }
    }

    private void measure(final BenchTalk talk, final String wire) throws IOException, InterruptedException {
        for (final int size : SIZES) {
            final long busyNs = lab.busyNs();
            final long messages = talk.stream(wire, size, WINDOW, roundNs) / size;
            add(wire + ' ' + size, messages * 1e9 / roundNs, lab.busyNs() - busyNs, messages);
        }
        final long busyNs = lab.busyNs();
        final long trips = Math.max(1, talk.pingPong(wire, PING_BYTES, roundNs));
        add(wire + " ping", roundNs / 2e3 / trips, lab.busyNs() - busyNs, 2 * trips);
        talk.idle(wire);
    }

    /** @param busyNs what both machines worked for so many messages */
    private void add(final String name, final double figure, final long busyNs, final long messages) {
        figures.add(name, figure);
        figures.add(name + " work", busyNs / 1e3 / Math.max(1, messages));
    }

    private List<BenchRow> rows() {
        final List<BenchRow> rows = new ArrayList<>();
        for (final int size : SIZES) {
            final String name = " " + size;
            for (final String wire : WIRES) {
                rows.add(figures.figure(wire + ", " + size + " bytes", wire + name, "a second"));
                rows.add(figures.figure(
                        wire + ", " + size + " bytes, processors", wire + name + " work", "us a message"));
            }
            rows.add(figures.ratio("rdp / rds, " + size + " bytes", RDP + name, RDS + name, STREAM_GOAL, false));
        }
        for (final String wire : WIRES) {
            rows.add(figures.figure(wire + ", half a round trip of 64 bytes", wire + " ping", "us"));
            rows.add(figures.figure(
                    wire + ", round trips, processors", wire + " ping work", "us a message"));
        }
        rows.add(figures.ratio("rdp / rds, round trip", RDP + " ping", RDS + " ping", PING_GOAL, true));
        return rows;
    }
}
