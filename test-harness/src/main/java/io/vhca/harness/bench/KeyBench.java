package io.vhca.harness.bench;

import io.vhca.bond.config.AuthKeyFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** (f): what a key costs a first connect and a failover, rounds with and without it in turn. */
final class KeyBench {
    private static final double MOST = 1.05;
    private static final int ROUNDS = 21;
    private static final int WARM_UP = 6;
    private static final int CONNECTS = 100;
    private static final int FAILOVERS = 40;
    private static final int FAILOVERS_OF_DEVICES = 8;

    private KeyBench() {}

    static List<BenchRow> run(final boolean isQuick) throws IOException {
        final Path directory = Files.createTempDirectory("vhca-bench");
        final Path key = directory.resolve("key");
        try {
            AuthKeyFile.create(key, new SecureRandom());
            return measure(isQuick ? 3 : ROUNDS, Optional.of(key.toString()));
        } finally {
            Files.deleteIfExists(key);
            Files.delete(directory);
        }
    }

    private static List<BenchRow> measure(final int rounds, final Optional<String> key) {
        final List<BenchRow> rows = new ArrayList<>(ofTime(rounds, key));
        rows.addAll(ofProcessor(rounds, key));
        return List.copyOf(rows);
    }

    /** The time that they take between devices, which is what a user waits for and what the goal is about. */
    private static List<BenchRow> ofTime(final int rounds, final Optional<String> key) {
        final double[][] connects = new double[2][rounds];
        final double[][] failovers = new double[2][rounds];
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
                        connects[hasKey][round] = connect;
                        failovers[hasKey][round] = failover;
                    }
                }
            }
        }
        return List.of(
                figures("(f) first connect between soft devices, time", connects),
                Rounds.ratio(
                        "(f) first connect, time with a key against without", connects[1], connects[0], MOST, true),
                figures("(f) failover between soft devices, time once it is known", failovers),
                Rounds.ratio("(f) failover, time with a key against without", failovers[1], failovers[0], MOST, true));
    }

    /** What it costs the processor, of both ends together and without a wire: no goal, for there is little besides. */
    private static List<BenchRow> ofProcessor(final int rounds, final Optional<String> key) {
        final double[][] connects = new double[2][rounds];
        final double[][] failovers = new double[2][rounds];
        for (int round = -Math.min(WARM_UP, rounds); round < rounds; round++) {
            for (int turn = 0; turn < 2; turn++) {
                final int hasKey = (turn + round) & 1;
                try (KeyedPair pair = new KeyedPair(hasKey == 1 ? key : Optional.empty())) {
                    final double connect = pair.connect(CONNECTS);
                    pair.keepOne();
                    final double failover = pair.failOver(FAILOVERS);
                    if (round >= 0) {
                        connects[hasKey][round] = connect;
                        failovers[hasKey][round] = failover;
                    }
                }
            }
        }
        return List.of(
                figures("(f) first connect, processor time of both ends", connects),
                figures("(f) failover, processor time of both ends", failovers));
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
