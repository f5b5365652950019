package io.vhca.harness.bench;

import java.io.IOException;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * (b) and (c): the soft RNIC against plain UDP and the best of UDP, the bond against the soft RNIC, between two
 * processes. Every round measures all of them one after the other, and ratios are taken within a round, so that what
 * disturbs the machine disturbs all alike. One thread.
 */
final class WireBench {
    static final List<String> WIRES = List.of("udp", "trains", "soft0", "bond0");

    private static final int WINDOW = 32;
    private static final int STREAM_BYTES = 4096;
    private static final int PING_BYTES = 64;
    private static final int UDP = 0;
    private static final int TRAINS = 1;
    private static final int SOFT = 2;
    private static final int BOND = 3;
    private static final double SOFT_GOAL = 1.5;
    private static final double SOFT_TRAINS_GOAL = 0.6;
    private static final double SOFT_PING_GOAL = 1.4;
    private static final double BOND_GOAL = 0.98;
    private static final double BOND_PING_GOAL = 1.03;

    /** MB/s by wire and round. */
    private final double[][] streams;
    /** Microseconds by wire and round. */
    private final double[][] pings;

    private final int rounds;
    private final long roundNs;

    WireBench(final boolean isQuick) {
        rounds = Rounds.count(isQuick);
        streams = new double[WIRES.size()][rounds];
        pings = new double[WIRES.size()][rounds];
        roundNs = TimeUnit.MILLISECONDS.toNanos(isQuick ? 500 : 1_500);
    }

    List<BenchRow> run(final PrintWriter progress) throws IOException, InterruptedException {
        try (WirePair pair = WirePair.open(WIRES, WIRES.size() - SOFT, WINDOW, STREAM_BYTES, List.of())) {
            final BenchTalk talk = pair.talk();
            for (final String wire : WIRES) {
                talk.stream(wire, STREAM_BYTES, WINDOW, roundNs);
                talk.pingPong(wire, PING_BYTES, roundNs);
            }
            Rounds.run(progress, rounds, round -> {
                for (int n = 0; n < WIRES.size(); n++) {
                    final int index = Rounds.place(round, n, WIRES.size());
                    final String wire = WIRES.get(index);
                    streams[index][round] = talk.stream(wire, STREAM_BYTES, WINDOW, roundNs) * 1e3 / roundNs;
                    pings[index][round] =
                            Rounds.microseconds(roundNs, talk.pingPong(wire, PING_BYTES, roundNs));
                }
            });
        }
        return rows();
    }

    private List<BenchRow> rows() {
        final List<BenchRow> rows = new ArrayList<>();
        for (int i = 0; i < WIRES.size(); i++) {
            rows.add(BenchRow.figure(
                    "(b) throughput of " + name(i) + ", 4096 bytes",
                    OverheadBench.format("%.0f MB/s", Rounds.median(streams[i]))));
        }
        rows.add(Rounds.ratio("(b) soft0 / plain UDP, throughput", streams[SOFT], streams[UDP], SOFT_GOAL, false));
        rows.add(Rounds.ratio(
                "(b) soft0 / UDP in trains, throughput", streams[SOFT], streams[TRAINS], SOFT_TRAINS_GOAL, false));
        rows.add(Rounds.ratio("(c) bond0 / soft0, throughput", streams[BOND], streams[SOFT], BOND_GOAL, false));
        for (int i = 0; i < WIRES.size(); i++) {
            rows.add(BenchRow.figure(
                    "(b) round trip of " + name(i) + ", 64 bytes",
                    OverheadBench.format("%.1f us", Rounds.median(pings[i]))));
        }
        rows.add(Rounds.ratio("(b) soft0 / plain UDP, round trip", pings[SOFT], pings[UDP], SOFT_PING_GOAL, true));
        rows.add(Rounds.ratio("(c) bond0 / soft0, round trip", pings[BOND], pings[SOFT], BOND_PING_GOAL, true));
        return rows;
    }

    private static String name(final int wire) {
        return switch (wire) {
            case UDP -> "plain UDP";
            case TRAINS -> "UDP in trains";
            default -> WIRES.get(wire);
        };
    }
}
