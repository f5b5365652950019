package io.vhca.disni;

import java.util.concurrent.TimeUnit;

/** Timeouts as poll(2) has them: milliseconds, below zero without end. Stateless. */
final class Waiting {
    private Waiting() {}

    static long ns(final int timeoutMs) {
        return timeoutMs < 0 ? Long.MAX_VALUE : TimeUnit.MILLISECONDS.toNanos(timeoutMs);
    }

    /** What is left of a timeout that began then. */
    static long leftNs(final long timeoutNs, final long beganNs) {
        return timeoutNs == Long.MAX_VALUE
                ? timeoutNs
                : Math.max(0, timeoutNs - (System.nanoTime() - beganNs));
    }
}
