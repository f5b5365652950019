package io.vhca.physical.soft.engine;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * The queue pairs with something to do, in turn. Posters ring a doorbell, a stack that any thread pushes to; the
 * engine's owner moves those that rang into its own queue. A queue pair is in each at most once; links are its fields.
 */
final class RunQueue {
    private static final VarHandle RUNG;
    private static final VarHandle IS_RUNG;

    static {
        try {
            final MethodHandles.Lookup lookup = MethodHandles.lookup();
            RUNG = lookup.findVarHandle(RunQueue.class, "rung", SoftQp.class);
            IS_RUNG = lookup.findVarHandle(SoftQp.class, "isRung", int.class);
        } catch (final ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private volatile @Nullable SoftQp rung;
    private @Nullable SoftQp head;
    private @Nullable SoftQp tail;
    private int size;

    /** Any thread, after the request is visible. */
    void ring(final SoftQp qp) {
        if (qp.isRung == 0 && IS_RUNG.compareAndSet(qp, 0, 1)) {
            SoftQp top;
            do {
                top = rung;
                qp.nextRung = top;
            } while (!RUNG.compareAndSet(this, top, qp));
        }
    }

    boolean hasRung() {
        return rung != null;
    }

    boolean isEmpty() {
        return size == 0;
    }

    int size() {
        return size;
    }

    /** Moves those that rang into the queue, the first first; the engine's owner. */
    int takeRung() {
        if (rung == null) {
            return 0;
        }
        SoftQp newest = (SoftQp) RUNG.getAndSet(this, (SoftQp) null);
        SoftQp oldest = null;
        while (newest != null) {
            final SoftQp next = newest.nextRung;
            newest.nextRung = oldest;
            oldest = newest;
            newest = next;
        }
        int count = 0;
        while (oldest != null) {
            final SoftQp next = oldest.nextRung;
            oldest.nextRung = null;
            // Before the queue is looked at: a request posted after this rings again.
            oldest.isRung = 0;
            add(oldest);
            oldest = next;
            count++;
        }
        return count;
    }

    /** The engine's owner. */
    void add(final SoftQp qp) {
        if (qp.isRunnable) {
            return;
        }
        qp.isRunnable = true;
        if (tail == null) {
            head = qp;
        } else {
            tail.nextRunnable = qp;
        }
        tail = qp;
        size++;
    }

    /** The next in turn, which leaves the queue; the engine's owner. */
    @Nullable SoftQp poll() {
        final SoftQp qp = head;
        if (qp != null) {
            head = qp.nextRunnable;
            if (head == null) {
                tail = null;
            }
            qp.nextRunnable = null;
            qp.isRunnable = false;
            size--;
        }
        return qp;
    }
}
