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
    /** The port has sent more than its rate allows, until then. */
    private boolean isWaiting;

    private long openNs;

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

    /** True when somebody may have a turn at once. Any thread, in passing. */
    boolean hasWork() {
        return rung != null || size != 0 && !isWaiting;
    }

    /** When the next turn is: that of a deadline, or when the port's rate allows one. */
    long nextDeadlineNs(final long deadlineNs) {
        return isWaiting && size != 0 && (deadlineNs == Long.MAX_VALUE || openNs - deadlineNs < 0)
                ? openNs
                : deadlineNs;
    }

    /** A turn for each that waits for one, as far as the port's rate allows; how many that were. The engine's owner. */
    int run(final int burst, final PortRate rate, final long nowNs) {
        int work = 0;
        boolean isOpen = rate.isOpen(nowNs);
        for (int turns = size; isOpen && turns > 0; turns--) {
            final SoftQp qp = poll();
            if (qp == null) {
                break;
            }
            if (qp.run(burst)) {
                add(qp);
            }
            work++;
            isOpen = rate.isOpen(nowNs);
        }
        isWaiting = !isOpen;
        openNs = isOpen ? nowNs : rate.openNs(nowNs);
        return work;
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
