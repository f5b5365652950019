package io.vhca.harness.bench;

import io.vhca.bond.config.AuthKeyFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.List;
import java.util.Optional;

/** (f): what a key costs a first connect and a failover, rounds with and without it in turn. */
final class KeyBench {
    private static final double MOST = 1.05;
    private static final int ROUNDS = 21;
    private static final int WARM_UP = 6;
    private static final int WARM_UP_OF_HASHES = 80;
    private static final int CONNECTS = 100;
    private static final int FAILOVERS = 40;
    private static final int FAILOVERS_OF_DEVICES = 8;

    private KeyBench() {}

    static List<BenchRow> run(final boolean isQuick) throws IOException {
        final Path directory = Files.createTempDirectory("vhca-bench");
        final Path key = directory.resolve("key");
        try {
            AuthKeyFile.create(key, new SecureRandom());
            return measure(isQuick ? 1 : ROUNDS, Optional.of(key.toString()));
        } finally {
            Files.deleteIfExists(key);
            Files.delete(directory);
        }
    }

    /** What rounds came to, in nanoseconds: without a key at 0, with one at 1. */
    private record Figures(double[][] connects, double[][] failovers) {
        Figures(final int rounds) {
            this(new double[2][rounds], new double[2][rounds]);
        }
    }

    /**
     * The goal is about what a user waits for: the time between devices, and what of the processor's a key adds to it.
     * The difference of two such times is no figure: it is less than what the same step differs by from itself.
     */
    private static List<BenchRow> measure(final int rounds, final Optional<String> key) {
        final Figures time = ofTime(rounds, key);
        final Figures processor = ofProcessor(rounds, key);
        return List.of(
                figures("(f) first connect, processor time of both ends", processor.connects),
                figures("(f) failover, processor time of both ends", processor.failovers),
                figures("(f) first connect between soft devices", time.connects),
                figures("(f) failover between soft devices, once it is known", time.failovers),
                added("(f) first connect with what a key adds", time.connects[0], processor.connects),
                added("(f) failover with what a key adds", time.failovers[0], processor.failovers));
    }

    private static BenchRow added(final String what, final double[] time, final double[][] processor) {
        final double[] with = new double[time.length];
        for (int round = 0; round < time.length; round++) {
            with[round] = time[round] + processor[1][round] - processor[0][round];
        }
        return Rounds.ratio(what, with, time, MOST, true);
    }

    /** Between devices, with all their threads. */
    private static Figures ofTime(final int rounds, final Optional<String> key) {
        final Figures figures = new Figures(rounds);
        try (KeyedDevices without = new KeyedDevices(1, Optional.empty());
                KeyedDevices with = new KeyedDevices(2, key)) {
            for (int round = -Math.min(WARM_UP, rounds); round < rounds; round++) {
                for (int turn = 0; turn < 2; turn++) {
                    final int hasKey = (turn + round) & 1; // none is always first
                    final KeyedDevices pair = hasKey == 1 ? with : without;
                    final double connect = pair.connect(CONNECTS);
                    pair.keepOne();
                    final double failover = pair.failOver(FAILOVERS_OF_DEVICES);
                    if (round >= 0) {
                        figures.connects[hasKey][round] = connect;
                        figures.failovers[hasKey][round] = failover;
                    }
                }
            }
        }
        return figures;
    }

    /** Of both ends together and without a wire, in one thread; a hash is slow until it has run ten thousand times. */
    private static Figures ofProcessor(final int rounds, final Optional<String> key) {
        final Figures figures = new Figures(rounds);
        for (int round = -Math.min(WARM_UP_OF_HASHES, 8 * rounds); round < rounds; round++) {
            for (int turn = 0; turn < 2; turn++) {
                final int hasKey = (turn + round) & 1;
                try (KeyedPair pair = new KeyedPair(hasKey == 1 ? key : Optional.empty())) {
                    final double connect = pair.connect(CONNECTS);
                    pair.keepOne();
                    final double failover = pair.failOver(FAILOVERS);
                    if (round >= 0) {
                        figures.connects[hasKey][round] = connect;
                        figures.failovers[hasKey][round] = failover;
                    }
                }
            }
        }
        return figures;
    }

    private static BenchRow figures(final String what, final double[][] ns) {
        return new BenchRow(
                what,
                OverheadBench.format(
                        "%.1f us with a key, %.1f us without (x %.3f)", Rounds.median(ns[1]) / 1e3,
                        Rounds.median(ns[0]) / 1e3, Rounds.median(Rounds.ratios(ns[1], ns[0]))),
                "",
                true);
    }
}
