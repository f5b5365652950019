package io.vhca.physical.soft.engine.qp;

import io.vhca.physical.soft.timer.TimerHeap;
import org.jspecify.annotations.Nullable;

/**
 * The queue pairs whose transports have a timer. The data path sets timers and clears them with each message, so only a
 * deadline that is earlier than what is noted moves a queue pair: what is noted may be early, but never late, and is
 * made right when it is the first. The engine's owner.
 */
final class QpTimers {
    private final TimerHeap<QpContext> heap = new TimerHeap<>();

    /** The queue pair set a timer. */
    void set(final QpContext qp, final long deadlineNs) {
        if (!qp.isTimed() || deadlineNs - qp.timerNs() < 0) {
            heap.set(qp, deadlineNs);
        }
    }

    /** The queue pair has no timer any more. */
    void forget(final QpContext qp) {
        heap.clear(qp);
    }

    /** The first deadline of all; {@link Long#MAX_VALUE} for none. */
    long next() {
        QpContext first = heap.first();
        while (first != null && !isRight(first)) {
            makeRight(first);
            first = heap.first();
        }
        return heap.firstNs();
    }

    /** Whether a timer has expired, or may have: what is noted may be early. */
    boolean isDue(final long nowNs) {
        return heap.due(nowNs) != null;
    }

    /** Tells each queue pair whose timer has expired, and gives it a turn; how many those were. */
    int fire(final long nowNs) {
        int count = 0;
        // Two looks at each: what it sets anew and is due at once waits for the next call.
        QpContext first = heap.due(nowNs);
        for (int looks = 2 * heap.size(); first != null && looks > 0; looks--) {
            if (isRight(first)) {
                first.onDeadline();
                first.schedule();
                count++;
            }
            makeRight(first);
            first = heap.due(nowNs);
        }
        return count;
    }

    private static boolean isRight(final QpContext qp) {
        final Transport transport = qp.transport();
        return transport.hasDeadline() && transport.deadlineNs() == qp.timerNs();
    }

    private void makeRight(final QpContext qp) {
        final Transport transport = qp.transport();
        if (transport.hasDeadline()) {
            assert !qp.isTimed() || transport.deadlineNs() - qp.timerNs() >= 0 : "a timer was set and not told of";
            heap.set(qp, transport.deadlineNs());
        } else {
            heap.clear(qp);
        }
    }
}
