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
    }

    /** Waits for an event; null after that time, when closed, or when interrupted. */
    public @Nullable E take(final long timeoutNs) {
        lock.lock();
        try {
            long remaining = timeoutNs;
            while (events.isEmpty() && !isClosed && remaining > 0) {
                remaining = arrived.awaitNanos(remaining);
            }
            return events.poll();
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
