package io.vhca.physical.soft.cm;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The connections that have a deadline. Guarded by the lock of the {@link CommunicationManager}. */
final class ConnTimers {
    private final List<Connection> waiting = new ArrayList<>();
    private volatile long earliestNs = Long.MAX_VALUE;

    /** The first deadline, or one before it; {@link Long#MAX_VALUE} for none. Any thread. */
    long earliestNs() {
        return earliestNs;
    }

    void set(final Connection connection, final long deadlineNs) {
        connection.deadlineNs = deadlineNs;
        if (connection.timerIndex < 0) {
            connection.timerIndex = waiting.size();
            waiting.add(connection);
        }
        if (earliestNs == Long.MAX_VALUE || deadlineNs - earliestNs < 0) {
            earliestNs = deadlineNs;
        }
    }

    void clear(final Connection connection) {
        final int index = connection.timerIndex;
        if (index >= 0) {
            assert waiting.get(index) == connection : "the connection is not where it says";
            final Connection last = waiting.removeLast();
            if (last != connection) {
                waiting.set(index, last);
                last.timerIndex = index;
            }
            connection.timerIndex = -1;
            if (waiting.isEmpty()) {
                earliestNs = Long.MAX_VALUE;
            }
        }
    }

    /** Takes the connection whose deadline is the first to have passed, or null when none has. */
    @Nullable Connection takeDue(final long nowNs) {
        Connection first = null;
        for (final Connection connection : waiting) {
            if (first == null || connection.deadlineNs - first.deadlineNs < 0) {
                first = connection;
            }
        }
        earliestNs = first == null ? Long.MAX_VALUE : first.deadlineNs;
        if (first == null || first.deadlineNs - nowNs > 0) {
            return null;
        }
        clear(first);
        return first;
    }
}
