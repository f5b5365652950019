package io.vhca.recovery;

/** Bounds of a recovery, all in nanoseconds and positive. Immutable; {@link #builder} makes one. */
public final class RecoveryConfig {
    private final long recoveryTimeoutNs;
    private final long drainTimeoutNs;
    private final long connectTimeoutNs;
    private final long establishTimeoutNs;
    private final long yieldTimeoutNs;
    private final long minBackoffNs;
    private final long maxBackoffNs;
    private final long closeTimeoutNs;

    private RecoveryConfig(final Builder from) {
        recoveryTimeoutNs = positive("recoveryTimeoutNs", from.recoveryTimeoutNs);
        drainTimeoutNs = positive("drainTimeoutNs", from.drainTimeoutNs);
        connectTimeoutNs = positive("connectTimeoutNs", from.connectTimeoutNs);
        establishTimeoutNs = positive("establishTimeoutNs", from.establishTimeoutNs);
        yieldTimeoutNs = positive("yieldTimeoutNs", from.yieldTimeoutNs);
        minBackoffNs = positive("minBackoffNs", from.minBackoffNs);
        maxBackoffNs = positive("maxBackoffNs", from.maxBackoffNs);
        closeTimeoutNs = positive("closeTimeoutNs", from.closeTimeoutNs);
        if (maxBackoffNs < minBackoffNs) {
            throw new IllegalArgumentException(
                    "maxBackoffNs is " + maxBackoffNs + ", below minBackoffNs " + minBackoffNs);
        }
    }

    private static long positive(final String name, final long value) {
        if (value <= 0) {
            throw new IllegalArgumentException(name + " must be positive, not " + value);
        }
        return value;
    }

    /** Bounds with their defaults, to be changed by name. */
    public static Builder builder() {
        return new Builder();
    }

    /** From the first failure until healthy again; then the vQP fails with {@link BondError#NO_PATH}. */
    public long recoveryTimeoutNs() {
        return recoveryTimeoutNs;
    }

    /** A drain counts as finished after it. */
    public long drainTimeoutNs() {
        return drainTimeoutNs;
    }

    /** For the answer to a REQ. */
    public long connectTimeoutNs() {
        return connectTimeoutNs;
    }

    /** For the confirmation of our answer. */
    public long establishTimeoutNs() {
        return establishTimeoutNs;
    }

    /** For the peer's REQ after it told us to yield. */
    public long yieldTimeoutNs() {
        return yieldTimeoutNs;
    }

    /** First pause when every path failed. */
    public long minBackoffNs() {
        return minBackoffNs;
    }

    /** Longest pause; not below the first. */
    public long maxBackoffNs() {
        return maxBackoffNs;
    }

    /** For a graceful close, whatever the peer does. */
    public long closeTimeoutNs() {
        return closeTimeoutNs;
    }

    /** Collects bounds; each has its default until it is set. */
    public static final class Builder {
        private static final long MS = 1_000_000L;

        private long recoveryTimeoutNs = 30_000 * MS;
        private long drainTimeoutNs = 100 * MS;
        private long connectTimeoutNs = 500 * MS;
        private long establishTimeoutNs = 500 * MS;
        private long yieldTimeoutNs = 200 * MS;
        private long minBackoffNs = 10 * MS;
        private long maxBackoffNs = 1_000 * MS;
        private long closeTimeoutNs = 2_000 * MS;

        private Builder() {}

        /** 30 s unless set. */
        public Builder recoveryTimeoutNs(final long value) {
            recoveryTimeoutNs = value;
            return this;
        }

        /** 100 ms unless set. */
        public Builder drainTimeoutNs(final long value) {
            drainTimeoutNs = value;
            return this;
        }

        /** 500 ms unless set. */
        public Builder connectTimeoutNs(final long value) {
            connectTimeoutNs = value;
            return this;
        }

        /** 500 ms unless set. */
        public Builder establishTimeoutNs(final long value) {
            establishTimeoutNs = value;
            return this;
        }

        /** 200 ms unless set. */
        public Builder yieldTimeoutNs(final long value) {
            yieldTimeoutNs = value;
            return this;
        }

        /** 10 ms unless set. */
        public Builder minBackoffNs(final long value) {
            minBackoffNs = value;
            return this;
        }

        /** 1 s unless set. */
        public Builder maxBackoffNs(final long value) {
            maxBackoffNs = value;
            return this;
        }

        /** 2 s unless set. */
        public Builder closeTimeoutNs(final long value) {
            closeTimeoutNs = value;
            return this;
        }

        /** The bounds; throws IllegalArgumentException naming one that is wrong. */
        public RecoveryConfig build() {
            return new RecoveryConfig(this);
        }
    }
}
