package io.vhca.bond;

/** How the times of a configuration must stand to each other. Each rule gives what is wrong, empty for nothing. */
final class TimeoutRules {
    private static final long US = 1_000;

    private TimeoutRules() {}

    /** Whoever gives up sooner than the hardware would never hear from it what happened. */
    static String watchdog(final BondConfig config) {
        final long watchdogNs = config.watchdogNs();
        return watchdogNs == 0 || watchdogNs > config.retryBudgetNs() ? "" : "watchdog is " + watchdogNs / US
                + "us, allowed is more than the retry budget of " + config.retryBudgetNs() / US
                + "us, which is (retry_cnt + 1) * 4.096us * 2^ack_timeout";
    }

    /**
     * A peer may drain for {@code drain_timeout} before it answers. Who gives up sooner blames a path that is good, and
     * goes back to one that connects and carries nothing, again and again.
     */
    static String path(final BondConfig config) {
        final long pathNs = config.pathTimeoutNs();
        // Less than that is what a value leaves that was refused already.
        return pathNs < US || pathNs > config.drainTimeoutNs() ? "" : "path_timeout is "
                + pathNs / US + "us, allowed is more than drain_timeout, "
                + config.drainTimeoutNs() / US + "us: a peer may drain so long before it answers";
    }
}
