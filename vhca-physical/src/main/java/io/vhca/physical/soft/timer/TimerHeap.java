package io.vhca.physical.soft.timer;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Those that have a deadline, as a binary heap: of thousands the first is at hand, and each step costs their logarithm.
 * Deadlines are compared by subtraction, as they may lie on both sides of the clock's wrap. Not thread-safe.
 *
 * @param <T> those that have a deadline; one is in one heap at a time
 */
public final class TimerHeap<T extends TimerHeap.Timed> {
    /** None is due before its parent, at half its index; each knows its place. */
    private final List<T> heap = new ArrayList<>();

    /** What a heap knows of each; guarded by what guards the heap. */
    public abstract static class Timed {
        private int timerIndex = -1;
        private long timerNs;

        /** In no heap. */
        protected Timed() {}

        /** True while it is in a heap. */
        public final boolean isTimed() {
            return timerIndex >= 0;
        }

        /** The deadline that was set last. */
        public final long timerNs() {
            return timerNs;
        }
    }

    /** Adds one, or moves it. */
    public void set(final T timed, final long deadlineNs) {
        ((Timed) timed).timerNs = deadlineNs;
        if (!timed.isTimed()) {
            heap.add(timed);
            ((Timed) timed).timerIndex = heap.size() - 1;
        }
        settle(timed);
    }

    /** Takes one out; nothing where it is not in. */
    public void clear(final T timed) {
        final int index = ((Timed) timed).timerIndex;
        if (index < 0) {
            return;
        }
        assert heap.get(index) == timed : "it is not where it says";
        ((Timed) timed).timerIndex = -1;
        final T last = heap.removeLast();
        if (last != timed) {
            put(last, index);
            settle(last);
        }
    }

    /** How many have a deadline. */
    public int size() {
        return heap.size();
    }

    /** The one whose deadline is first, or null where none has one. */
    public @Nullable T first() {
        return heap.isEmpty() ? null : heap.getFirst();
    }

    /** The first deadline; {@link Long#MAX_VALUE} for none. */
    public long firstNs() {
        return heap.isEmpty() ? Long.MAX_VALUE : heap.getFirst().timerNs();
    }

    /** The one whose deadline is first, where that has passed, else null. */
    public @Nullable T due(final long nowNs) {
        return heap.isEmpty() || heap.getFirst().timerNs() - nowNs > 0 ? null : heap.getFirst();
    }

    /** Moves one, whose deadline may be any, to where it belongs. */
    private void settle(final T timed) {
        int index = ((Timed) timed).timerIndex;
        while (index > 0 && isBefore(timed, heap.get((index - 1) / 2))) {
            put(heap.get((index - 1) / 2), index);
            index = (index - 1) / 2;
            put(timed, index);
        }
        for (int child = firstChild(index); child >= 0 && isBefore(heap.get(child), timed); child = firstChild(index)) {
            put(heap.get(child), index);
            index = child;
            put(timed, index);
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

    private static boolean isBefore(final Timed one, final Timed other) {
        return one.timerNs - other.timerNs < 0;
    }

    private void put(final T timed, final int index) {
        heap.set(index, timed);
        ((Timed) timed).timerIndex = index;
    }
}
