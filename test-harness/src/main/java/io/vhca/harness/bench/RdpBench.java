package io.vhca.harness.bench;

import io.vhca.harness.drill.fabric.ChildProcess;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

/**
 * (h): reliable datagrams against SENDs of a queue pair on the same bond, between two processes; the same beside a
 * receiver that does not read; and the driver that all processes of a host share, one a side, against the one inside
 * the process. Rounds are interleaved. One thread.
 */
final class RdpBench {
    private static final String RAW = "bond0";
    private static final String OWN = "rdp";
    private static final String BESIDE = "rdp-beside";
    private static final String SHARED = "rdp-shared";
    private static final List<String> WIRES = List.of(RAW, OWN, BESIDE, SHARED);
    /** Where a server says where it is: that of {@link #BESIDE} has two. */
    private static final int SERVERS = WIRES.size() + 1;
    private static final int[] SIZES = {64, 1 << 13, 1 << 15};
    private static final double[] GOALS = {0.85, 0.95, 0.95};
    private static final int WINDOW = 32;
    private static final double PING_GOAL = 1.25;
    private static final double BESIDE_GOAL = 0.97;
    private static final double SHARED_GOAL = 1.6;
    private static final int PING_BYTES = 64;
    /** Of the devices' addresses of the shared drivers, the last number. */
    private static final int DRIVER_ADDRESS = 5;

    private final int rounds;
    private final long roundNs;
    /** Messages a second by wire, size and round. */
    private final double[][][] rates;
    /** Microseconds by wire and round. */
    private final double[][] pings;
    /** Microseconds by round, of processes that do nothing else. */
    private final double[] sharedHandOvers;

    private final double[] ownHandOvers;

    RdpBench(final boolean isQuick) {
        rounds = Rounds.count(isQuick);
        roundNs = TimeUnit.MILLISECONDS.toNanos(isQuick ? 300 : 1_000);
        rates = new double[WIRES.size()][SIZES.length][rounds];
        pings = new double[WIRES.size()][rounds];
        sharedHandOvers = new double[rounds];
        ownHandOvers = new double[rounds];
    }

    List<BenchRow> run(final PrintWriter progress) throws IOException, InterruptedException {
        try (BenchDirectory directory = BenchDirectory.make("server", "client");
                ChildProcess _ = driver(true, directory.parts().getFirst());
                ChildProcess _ = driver(false, directory.parts().getLast());
                HandOvers handOvers = HandOvers.open(directory.path());
                WirePair pair =
                        WirePair.open(WIRES, SERVERS, WINDOW, SIZES[SIZES.length - 1], directory.parts())) {
            round(pair.talk(), handOvers, 0); // warms up, and is measured again
            Rounds.run(progress, rounds, round -> round(pair.talk(), handOvers, round));
        }
        return rows();
    }

    /** A driver's process, with devices of its own: it shares its bond with nobody but by sockets. */
    private static ChildProcess driver(final boolean ofServer, final String directory)
            throws IOException, InterruptedException {
        final List<String> properties = WirePair.properties(WirePair.address(ofServer), DRIVER_ADDRESS);
        properties.add("vhca.rdp.socket.dir=" + directory);
        return ChildProcess.startedWith(
                "driving", "driver of the benchmark", properties, RdpDriverPeer.class, List.of());
    }

    private void round(final BenchTalk talk, final HandOvers handOvers, final int round)
            throws IOException, InterruptedException {
        for (int n = 0; n < WIRES.size(); n++) {
            final int wire = Rounds.place(round, n, WIRES.size());
            final String name = WIRES.get(wire);
            for (int i = 0; i < SIZES.length; i++) {
                rates[wire][i][round] = talk.stream(name, SIZES[i], WINDOW, roundNs) * 1e9 / SIZES[i] / roundNs;
            }
            pings[wire][round] = Rounds.microseconds(roundNs, talk.pingPong(name, PING_BYTES, roundNs));
            // The server of a wire polls it for as long as it serves.
            talk.idle(name);
        }
        sharedHandOvers[round] = handOvers.microseconds(HandOvers.SHARED, roundNs);
        ownHandOvers[round] = handOvers.microseconds(HandOvers.OWN, roundNs);
    }

    private List<BenchRow> rows() {
        final int raw = WIRES.indexOf(RAW);
        final int own = WIRES.indexOf(OWN);
        final int shared = WIRES.indexOf(SHARED);
        final List<BenchRow> rows = new ArrayList<>();
        for (int i = 0; i < SIZES.length; i++) {
            rows.add(BenchRow.figure(
                    "(h) SENDs of bond0, rdp, shared rdp; " + SIZES[i] + " bytes",
                    String.format(
                            Locale.ROOT, "%,.0f, %,.0f, %,.0f a second", Rounds.median(rates[raw][i]),
                            Rounds.median(rates[own][i]), Rounds.median(rates[shared][i]))));
            rows.add(Rounds.ratio(
                    "(h) rdp / SENDs of bond0, " + SIZES[i] + " bytes", rates[own][i], rates[raw][i], GOALS[i],
                    false));
            rows.add(Rounds.ratio(
                    "(h) rdp beside a receiver that does not read / rdp, " + SIZES[i] + " bytes",
                    rates[WIRES.indexOf(BESIDE)][i], rates[own][i], BESIDE_GOAL, false));
        }
        rows.add(BenchRow.figure(
                "(h) round trip of 64 bytes: SENDs of bond0, rdp, shared rdp",
                String.format(
                        Locale.ROOT, "%.1f, %.1f, %.1f us", Rounds.median(pings[raw]), Rounds.median(pings[own]),
                        Rounds.median(pings[shared]))));
        rows.add(Rounds.ratio("(h) rdp / SENDs of bond0, round trip", pings[own], pings[raw], PING_GOAL, true));
        rows.add(Rounds.ratio("(h) shared rdp / rdp, round trip", pings[shared], pings[own], SHARED_GOAL, true));
        rows.add(leastOfShared(pings[own]));
        return rows;
    }

    /** What would be left of a shared driver's round trip if nobody in it had anything to do but to hand it on. */
    private BenchRow leastOfShared(final double[] own) {
        final double[] least = new double[rounds];
        for (int round = 0; round < rounds; round++) {
            least[round] = (own[round] + sharedHandOvers[round] - ownHandOvers[round]) / own[round];
        }
        return BenchRow.figure(
                "(h) the same with a shared driver that only hands on: 4 processes, 2 processes",
                String.format(
                        Locale.ROOT, "%.3f: %.1f, %.1f us", Rounds.median(least), Rounds.median(sharedHandOvers),
                        Rounds.median(ownHandOvers)));
    }
}
