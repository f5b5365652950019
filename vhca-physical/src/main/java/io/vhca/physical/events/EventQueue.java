package io.vhca.physical.events;

import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Events on their way to whoever waits for them, without bound. Any thread; its lock is held for moments only. */
public final class EventQueue<E> {
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition arrived = lock.newCondition();
    private final Queue<E> events = new ArrayDeque<>();
    private boolean isClosed;
    private volatile boolean isWoken;
    private volatile @Nullable Runnable listener;

    /** Empty and open. */
    public EventQueue() {}

    /** Adds an event and wakes one waiter; nothing happens when closed. */
    public void put(final E event) {
        lock.lock();
        try {
            if (!isClosed) {
                events.add(event);
                arrived.signal();
            }
        } finally {
            lock.unlock();
        }
        Listeners.tell(listener);
    }

    /**
     * Who is told whenever an event was added, in place of who was before; null for nobody. Of events that are there
     * already it is told at once.
     */
    public void onPut(final @Nullable Runnable told) {
        listener = told;
        lock.lock();
        try {
            if (events.isEmpty()) {
                return;
            }
        } finally {
            lock.unlock();
        }
        Listeners.tell(told);
    }

    /** Wakes one who waits, or else the next who would: there is no event for him. */
    public void wakeUp() {
        lock.lock();
        try {
            isWoken = true;
            arrived.signal();
        } finally {
            lock.unlock();
        }
    }

    /** The next who would wait is woken at once. */
    public boolean isWoken() {
        return isWoken;
    }

    /** Waits for an event; null after that time, when closed, when woken, or when interrupted. */
    public @Nullable E take(final long timeoutNs) {
        lock.lock();
        try {
            long remaining = timeoutNs;
            while (events.isEmpty() && !isClosed && !isWoken && remaining > 0) {
                remaining = arrived.awaitNanos(remaining);
            }
            final E next = events.poll();
            if (next == null && timeoutNs > 0) {
                isWoken = false; // who has an event leaves that for the next
            }
            return next;
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
            return null;
        } finally {
            lock.unlock();
        }
    }

    /** Drops the events that match; false when none does. */
    public boolean forget(final Predicate<E> which) {
        lock.lock();
        try {
            return events.removeIf(which);
        } finally {
            lock.unlock();
        }
    }

    /** Drops all and wakes every waiter. Idempotent. */
    public void close() {
        lock.lock();
        try {
            isClosed = true;
            events.clear();
            arrived.signalAll();
        } finally {
            lock.unlock();
        }
    }
}
