package io.vhca.recovery;

/**
 * Bounds of a recovery, all in nanoseconds and positive.
 *
 * @param recoveryTimeoutNs from the first failure until healthy again; then the vQP fails with NO_PATH
 * @param drainTimeoutNs after which a drain counts as finished
 * @param connectTimeoutNs for an answer to a REQ
 * @param establishTimeoutNs for the confirmation of our answer
 * @param yieldTimeoutNs for the peer's REQ after it told us to yield
 * @param minBackoffNs first pause when every path failed
 * @param maxBackoffNs longest pause; at least the first
 * @param closeTimeoutNs for a graceful close, whatever the peer does
 */
public record RecoveryConfig(
        long recoveryTimeoutNs,
        long drainTimeoutNs,
        long connectTimeoutNs,
        long establishTimeoutNs,
        long yieldTimeoutNs,
        long minBackoffNs,
        long maxBackoffNs,
        long closeTimeoutNs) {
    private static final long MS = 1_000_000L;

    /** 30 s in all; 100 ms drain, 500 ms connect and confirm, 200 ms yield, back-off 10 ms to 1 s, close 2 s. */
    public static final RecoveryConfig DEFAULT =
            new RecoveryConfig(30_000 * MS, 100 * MS, 500 * MS, 500 * MS, 200 * MS, 10 * MS, 1_000 * MS, 2_000 * MS);

    /** Checks the bounds; throws IllegalArgumentException naming the wrong one. */
    public RecoveryConfig {
        positive("recoveryTimeoutNs", recoveryTimeoutNs);
        positive("drainTimeoutNs", drainTimeoutNs);
        positive("connectTimeoutNs", connectTimeoutNs);
        positive("establishTimeoutNs", establishTimeoutNs);
        positive("yieldTimeoutNs", yieldTimeoutNs);
        positive("minBackoffNs", minBackoffNs);
        positive("closeTimeoutNs", closeTimeoutNs);
        if (maxBackoffNs < minBackoffNs) {
            throw new IllegalArgumentException("maxBackoffNs is " + maxBackoffNs + ", below minBackoffNs "
                    + minBackoffNs);
        }
    }

    /** The same bounds with another recovery timeout. */
    public RecoveryConfig withRecoveryTimeoutNs(final long timeoutNs) {
        return new RecoveryConfig(timeoutNs, drainTimeoutNs, connectTimeoutNs, establishTimeoutNs, yieldTimeoutNs,
                minBackoffNs,
                maxBackoffNs, closeTimeoutNs);
    }

    private static void positive(final String name, final long value) {
        if (value <= 0) {
            throw new IllegalArgumentException(name + " must be positive, not " + value);
        }
    }
}
