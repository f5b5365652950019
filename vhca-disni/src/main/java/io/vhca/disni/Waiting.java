package io.vhca.disni;

import java.util.concurrent.TimeUnit;

/** Timeouts as poll(2) has them: milliseconds, below zero without end. Stateless. */
final class Waiting {
    private Waiting() {}

    static long ns(final int timeoutMs) {
        return timeoutMs < 0 ? Long.MAX_VALUE : TimeUnit.MILLISECONDS.toNanos(timeoutMs);
    }
}
