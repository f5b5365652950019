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
    private static final int CONNECTS = 100;
    private static final int FAILOVERS = 40;

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
        final double[][] connects = new double[2][rounds];
        final double[][] failovers = new double[2][rounds];
        for (int round = -Math.min(WARM_UP, rounds); round < rounds; round++) {
            for (int turn = 0; turn < 2; turn++) {
                final int hasKey = (turn + round) & 1; // none is always first
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
                time("(f) first connect, processor time of both ends", connects),
                Rounds.ratio("(f) first connect with a key against without", connects[1], connects[0], MOST, true),
                time("(f) failover, processor time of both ends", failovers),
                Rounds.ratio("(f) failover with a key against without", failovers[1], failovers[0], MOST, true));
    }

    private static BenchRow time(final String what, final double[][] ns) {
        return new BenchRow(
                what,
                OverheadBench.format(
                        "%.1f us with a key, %.1f us without", Rounds.median(ns[1]) / 1e3, Rounds.median(ns[0]) / 1e3),
                "",
                true);
    }
}
