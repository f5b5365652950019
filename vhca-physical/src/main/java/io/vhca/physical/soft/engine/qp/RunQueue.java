package io.vhca.physical.soft.engine.qp;

import io.vhca.physical.soft.engine.port.PortRate;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * The queue pairs that have something to do, in the order of their turns, and those that will have when a timer
 * expires. Whoever posts rings a doorbell: any thread pushes the queue pair on a stack, from which the engine's owner
 * moves it into its own queue. A queue pair is in each of the two at most once; the links are fields of it.
 */
public final class RunQueue {
    private static final VarHandle RUNG;
    private static final VarHandle IS_RUNG;

    static {
        try {
            final MethodHandles.Lookup lookup = MethodHandles.lookup();
            RUNG = lookup.findVarHandle(RunQueue.class, "rung", QpContext.class);
            IS_RUNG = lookup.findVarHandle(QpContext.class, "isRung", int.class);
        } catch (final ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final PortRate rate;
    private final QpTimers timers = new QpTimers();
    private volatile @Nullable QpContext rung;
    private @Nullable QpContext head;
    private @Nullable QpContext tail;
    private int size;
    /** The port has sent more than its rate allows, until then. */
    private boolean isWaiting;

    private long openNs;

    /** Empty; turns are given as far as the port's rate allows. */
    public RunQueue(final PortRate rate) {
        this.rate = rate;
    }

    /** Rings the doorbell of a queue pair. Any thread, once its request is written. */
    public void ring(final QpContext qp) {
        if (!begins(qp)) {
            // It rings already. The request is visible before that is looked at again: else the owner may silence the
            // doorbell, look for requests and miss this one, while it still seems to ring here.
            VarHandle.fullFence();
            if (!begins(qp)) {
                return;
            }
        }
        QpContext top;
        do {
            top = rung;
            qp.nextRung = top;
        } while (!RUNG.compareAndSet(this, top, qp));
    }

    /** True for the one that makes it ring. Partner of {@code isRung = 0} in {@link #takeRung}. */
    private static boolean begins(final QpContext qp) {
        return qp.isRung == 0 && IS_RUNG.compareAndSet(qp, 0, 1);
    }

    /** True when a doorbell rang that {@link #takeRung} has not seen. Any thread. */
    public boolean hasRung() {
        return rung != null;
    }

    /** True when a queue pair may have a turn at once. Any thread; a moment later it may be otherwise. */
    public boolean hasWork() {
        return rung != null || size != 0 && !isWaiting;
    }

    /** A queue pair set a timer. The engine's owner. */
    void setTimer(final QpContext qp, final long deadlineNs) {
        timers.set(qp, deadlineNs);
    }

    /** A queue pair goes, and its timer. The engine's owner. */
    void forgetTimer(final QpContext qp) {
        timers.forget(qp);
    }

    /** True when a timer has expired, or may have. The engine's owner. */
    public boolean isDue(final long nowNs) {
        return timers.isDue(nowNs);
    }

    /** Tells those whose timer has expired, and gives each a turn; how many those were. The engine's owner. */
    public int fire(final long nowNs) {
        return timers.fire(nowNs);
    }

    /** When the next turn is: that of a timer, or when the port's rate allows one. The engine's owner. */
    public long nextDeadlineNs() {
        final long deadlineNs = timers.next();
        return isWaiting && size != 0 && (deadlineNs == Long.MAX_VALUE || openNs - deadlineNs < 0)
                ? openNs
                : deadlineNs;
    }

    /**
     * Gives a turn of at most {@code burst} packets to each that waits for one, as far as the port's rate allows. The
     * engine's owner.
     *
     * @return how many turns there were
     */
    public int run(final int burst, final long nowNs) {
        int work = 0;
        boolean isOpen = rate.isOpen(nowNs);
        for (int turns = size; isOpen && turns > 0; turns--) {
            final QpContext qp = poll();
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
    public int takeRung() {
        if (rung == null) {
            return 0;
        }
        QpContext newest = (QpContext) RUNG.getAndSet(this, (QpContext) null);
        QpContext oldest = null;
        while (newest != null) {
            final QpContext next = newest.nextRung;
            newest.nextRung = oldest;
            oldest = newest;
            newest = next;
        }
        int count = 0;
        while (oldest != null) {
            final QpContext next = oldest.nextRung;
            oldest.nextRung = null;
            // Before the queue is looked at: a request posted after this rings again.
            oldest.isRung = 0;
            add(oldest);
            oldest = next;
            count++;
        }
        return count;
    }

    /** Puts it at the end of the queue where it is not in it. The engine's owner. */
    public void add(final QpContext qp) {
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

    private @Nullable QpContext poll() {
        final QpContext qp = head;
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
