package io.vhca.harness.bench;

import io.vhca.api.WrOpcode;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

/**
 * (g): a stream over an extended socket against WRITEs of a queue pair on the same bond, between two processes, and the
 * round trips of both; of the shortest size also WRITEs that the receiver hears of, which no socket goes without.
 * Rounds are interleaved. One thread.
 */
final class ExsBench {
    private static final String SOCKET = "exs";
    private static final String TOLD = "told";
    private static final List<String> WIRES = List.of("bond0", SOCKET, TOLD);
    /** The first two of them are compared in all sizes. */
    private static final int COMPARED = 2;

    private static final int[] SIZES = {1 << 16, 1 << 18, 1 << 20, 1 << 22, 1 << 24};
    private static final int WINDOW = 4;
    /** Many short ones: the median of a ratio is as certain as there are rounds. */
    private static final int ROUNDS = 33;

    private static final int PING_BYTES = 64;
    private static final double GOAL = 0.98;
    private static final double PING_GOAL = 1.25;

    private final int rounds;
    private final long roundNs;
    /** Bytes a ns of the bond's WRITEs and of the socket, by size and round. */
    private final double[][] writes;

    private final double[][] streams;
    /** The same of WRITEs with immediate data, of the shortest size, by round. */
    private final double[] toldWrites;
    /** Microseconds of a round trip, by round. */
    private final double[] rawPings;

    private final double[] pings;

    ExsBench(final boolean isQuick) {
        rounds = Rounds.count(isQuick, ROUNDS);
        roundNs = TimeUnit.MILLISECONDS.toNanos(isQuick ? 300 : 500);
        writes = new double[SIZES.length][rounds];
        streams = new double[SIZES.length][rounds];
        toldWrites = new double[rounds];
        rawPings = new double[rounds];
        pings = new double[rounds];
    }

    List<BenchRow> run(final PrintWriter progress) throws IOException, InterruptedException {
        try (WirePair pair = WirePair.open(WIRES, WIRES.size(), WINDOW, SIZES[SIZES.length - 1], List.of())) {
            round(pair.talk(), 0); // warms up, and is measured again
            Rounds.run(progress, rounds, round -> round(pair.talk(), round));
        }
        return rows();
    }

    /** What is compared is measured one right after the other: a host that others use changes within seconds. */
    private void round(final BenchTalk talk, final int round) throws IOException, InterruptedException {
        for (int n = 0; n < COMPARED; n++) {
            if (Rounds.place(round, n, COMPARED) == 0) {
                rawPings[round] = Rounds.microseconds(roundNs, talk.pingPong("bond0", PING_BYTES, roundNs));
            } else {
                pings[round] = Rounds.microseconds(roundNs, talk.pingPong(SOCKET, PING_BYTES, roundNs));
            }
        }
        for (int i = 0; i < SIZES.length; i++) {
            final int wires = i == 0 ? WIRES.size() : COMPARED;
            for (int n = 0; n < wires; n++) {
                final String wire = WIRES.get(Rounds.place(round + i, n, wires));
                switch (wire) {
                    case SOCKET ->
                        streams[i][round] = (double) talk.stream(wire, SIZES[i], WINDOW, roundNs) / roundNs;
                    case TOLD -> toldWrites[round] = written(talk, wire, WrOpcode.RDMA_WRITE_WITH_IMM, SIZES[i]);
                    default -> writes[i][round] = written(talk, wire, WrOpcode.RDMA_WRITE, SIZES[i]);
                }
            }
        }
    }

    /** The far end of a socket works while data comes: so does that of a queue pair. */
    private double written(final BenchTalk talk, final String wire, final WrOpcode opcode, final int size)
            throws IOException, InterruptedException {
        talk.poll(wire, PING_BYTES);
        return (double) talk.oneSided(wire, opcode, size, WINDOW, roundNs) * size / roundNs;
    }

    private List<BenchRow> rows() {
        final List<BenchRow> rows = new ArrayList<>();
        for (int i = 0; i < SIZES.length; i++) {
            final String size = SIZES[i] >= 1 << 20 ? (SIZES[i] >> 20) + " MB" : (SIZES[i] >> 10) + " KB";
            rows.add(BenchRow.figure(
                    "(g) WRITEs of bond0, exs; " + size,
                    String.format(
                            Locale.ROOT, "%.0f, %.0f MB/s", 1e3 * Rounds.median(writes[i]),
                            1e3 * Rounds.median(streams[i]))));
            rows.add(Rounds.ratio("(g) exs / WRITEs of bond0, " + size, streams[i], writes[i], GOAL, false));
            if (i == 0) {
                rows.add(BenchRow.figure(
                        "(g) WRITEs with immediate data / WRITEs, " + size, Rounds.ratio(toldWrites, writes[i])));
                rows.add(BenchRow.figure(
                        "(g) exs / WRITEs with immediate data, " + size, Rounds.ratio(streams[i], toldWrites)));
            }
        }
        rows.add(BenchRow.figure(
                "(g) round trip of 64 bytes: SENDs of bond0, exs",
                String.format(Locale.ROOT, "%.1f, %.1f us", Rounds.median(rawPings), Rounds.median(pings))));
        rows.add(Rounds.ratio("(g) exs / SENDs of bond0, round trip", pings, rawPings, PING_GOAL, true));
        return rows;
    }
}
