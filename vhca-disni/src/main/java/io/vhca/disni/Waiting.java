package io.vhca.disni;

import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** Waits as poll(2) in a native library does: milliseconds, below zero without end; interrupts end none. Stateless. */
final class Waiting {
    /** A wait of a channel, which an interrupt ends. */
    interface Wait<T> {
        /** Null where there was nothing in that time. */
        @Nullable T within(long timeoutNs);
    }

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

    /**
     * Waits on where the thread is interrupted, which it still is then.
     *
     * @param isOpen whether the channel is, which is asked after an interrupt
     * @return null when there was nothing in that time, or when the channel is closed
     */
    static <T> @Nullable T await(final long timeoutNs, final Wait<T> wait, final BooleanSupplier isOpen) {
        final long beganNs = System.nanoTime();
        boolean wasInterrupted = false;
        try {
            T taken = wait.within(timeoutNs);
            while (taken == null && Thread.interrupted()) {
                wasInterrupted = true;
                if (!isOpen.getAsBoolean()) {
                    return null;
                }
                taken = wait.within(leftNs(timeoutNs, beganNs));
            }
            return taken;
        } finally {
            if (wasInterrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
