package io.vhca.physical.soft;

import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** Events on their way from the engine to whoever waits for them. Any thread; its lock is held for moments only. */
final class EventQueue<E> {
    private final SoftAdapter adapter;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition arrived = lock.newCondition();
    private final Queue<E> events = new ArrayDeque<>();
    private boolean isClosed;

    EventQueue(final SoftAdapter adapter) {
        this.adapter = adapter;
    }

    void put(final E event) {
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
    @Nullable E take(final long timeoutNs) {
        E event = await(0);
        if (event == null) {
            adapter.drive();
            event = await(0);
        }
        if (event == null && timeoutNs > 0) {
            adapter.waiting(true);
            try {
                event = await(timeoutNs);
            } finally {
                adapter.waiting(false);
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

    void close() {
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
