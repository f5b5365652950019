package io.vhca.recovery;

/** Bounds of a few nanoseconds, all of them different. */
final class SmallBounds {
    static final RecoveryConfig CONFIG = RecoveryConfig.builder()
            .recoveryTimeoutNs(10_000)
            .drainTimeoutNs(100)
            .connectTimeoutNs(500)
            .establishTimeoutNs(600)
            .yieldTimeoutNs(200)
            .minBackoffNs(10)
            .maxBackoffNs(80)
            .closeTimeoutNs(2_000)
            .build();

    private SmallBounds() {}
}
