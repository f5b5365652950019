package io.vhca.physical.soft.cm;

import io.vhca.physical.soft.timer.TimerHeap;
import org.jspecify.annotations.Nullable;

/**
 * The connections that have a deadline, many that have ended among them. Guarded by the lock of the {@link
 * CommunicationManager}.
 */
final class ConnTimers {
    private final TimerHeap<Connection> heap = new TimerHeap<>();
    private volatile long earliestNs = Long.MAX_VALUE;

    /** The first deadline; {@link Long#MAX_VALUE} for none. Any thread. */
    long earliestNs() {
        return earliestNs;
    }

    void set(final Connection connection, final long deadlineNs) {
        heap.set(connection, deadlineNs);
        earliestNs = heap.firstNs();
    }

    void clear(final Connection connection) {
        if (connection.isTimed()) {
            heap.clear(connection);
            earliestNs = heap.firstNs();
        }
    }

    /** Takes the connection whose deadline is the first to have passed, or null when none has. */
    @Nullable Connection takeDue(final long nowNs) {
        final Connection due = heap.due(nowNs);
        if (due != null) {
            clear(due);
        }
        return due;
    }
}
