package io.vhca.recovery;

import java.util.random.RandomGenerator;

/** Pauses that double up to a limit; half of each is random, so that two sides do not stay in step. */
final class Backoff {
    private final long minNs;
    private final long maxNs;
    private final RandomGenerator random;
    private long pauseNs;

    Backoff(final RecoveryConfig config, final RandomGenerator random) {
        minNs = config.minBackoffNs();
        maxNs = config.maxBackoffNs();
        this.random = random;
        pauseNs = minNs;
    }

    void reset() {
        pauseNs = minNs;
    }

    long nextNs() {
        final long pause = pauseNs;
        pauseNs = pause > maxNs / 2 ? maxNs : pause * 2;
        final long nextNs = pause - random.nextLong(pause / 2 + 1);
        assert pause >= minNs && pause <= maxNs && nextNs > 0 && nextNs <= pause : pause + " " + nextNs;
        return nextNs;
    }
}
