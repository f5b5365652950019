package io.vhca.physical.soft.cm;

import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Events on their way from the engine to whoever waits for them. Any thread; its lock is held for moments only. */
public final class EventQueue<E> {
    private final CmHost device;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition arrived = lock.newCondition();
    private final Queue<E> events = new ArrayDeque<>();
    private boolean isClosed;

    public EventQueue(final CmHost device) {
        this.device = device;
    }

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

    /** Runs the device where that is this thread's business, then waits; null after that time or when closed. */
    public @Nullable E take(final long timeoutNs) {
        E event = await(0);
        if (event == null) {
            device.drive();
            event = await(0);
        }
        if (event == null && timeoutNs > 0) {
            device.waiting(true);
            try {
                event = await(timeoutNs);
            } finally {
                device.waiting(false);
            }
        }
        return event;
    }

    private @Nullable E await(final long timeoutNs) {
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

    /** Drops the events that nobody shall get any more. */
    public void forget(final Predicate<E> which) {
        lock.lock();
        try {
            events.removeIf(which);
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
