package io.vhca.physical.soft.cm;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The connections that have a deadline, as a binary heap: with thousands of them, many that have ended among them, each
 * step costs their logarithm. Deadlines are compared by subtraction. Guarded by the lock of the {@link
 * CommunicationManager}.
 */
final class ConnTimers {
    /** None is due before its parent, at half its index; each knows its place. */
    private final List<Connection> heap = new ArrayList<>();

    private volatile long earliestNs = Long.MAX_VALUE;

    /** The first deadline; {@link Long#MAX_VALUE} for none. Any thread. */
    long earliestNs() {
        return earliestNs;
    }

    void set(final Connection connection, final long deadlineNs) {
        connection.deadlineNs = deadlineNs;
        if (connection.timerIndex < 0) {
            heap.add(connection);
            connection.timerIndex = heap.size() - 1;
        }
        settle(connection);
        earliestNs = heap.getFirst().deadlineNs;
    }

    void clear(final Connection connection) {
        final int index = connection.timerIndex;
        if (index < 0) {
            return;
        }
        assert heap.get(index) == connection : "the connection is not where it says";
        connection.timerIndex = -1;
        final Connection last = heap.removeLast();
        if (last != connection) {
            put(last, index);
            settle(last);
        }
        earliestNs = heap.isEmpty() ? Long.MAX_VALUE : heap.getFirst().deadlineNs;
    }

    /** Takes the connection whose deadline is the first to have passed, or null when none has. */
    @Nullable Connection takeDue(final long nowNs) {
        if (heap.isEmpty() || heap.getFirst().deadlineNs - nowNs > 0) {
            return null;
        }
        final Connection first = heap.getFirst();
        clear(first);
        return first;
    }

    /** Moves a connection, whose deadline may be any, to where it belongs. */
    private void settle(final Connection connection) {
        int index = connection.timerIndex;
        while (index > 0 && isBefore(connection, heap.get((index - 1) / 2))) {
            put(heap.get((index - 1) / 2), index);
            index = (index - 1) / 2;
            put(connection, index);
        }
        for (int child = firstChild(index);
                child >= 0 && isBefore(heap.get(child), connection);
                child = firstChild(index)) {
            put(heap.get(child), index);
            index = child;
            put(connection, index);
        }
    }

    /** The one of two children that is due first, or -1 where there is none. */
    private int firstChild(final int parent) {
        final int left = 2 * parent + 1;
        final int right = left + 1;
        if (left >= heap.size()) {
            return -1;
        }
        return right < heap.size() && isBefore(heap.get(right), heap.get(left)) ? right : left;
    }

    private static boolean isBefore(final Connection one, final Connection other) {
        return one.deadlineNs - other.deadlineNs < 0;
    }

    private void put(final Connection connection, final int index) {
        heap.set(index, connection);
        connection.timerIndex = index;
    }
}
