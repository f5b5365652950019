package io.vhca.physical.verbs;

import io.vhca.api.AsyncEvent;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** A context's asynchronous events on their way from the agent to whoever asks. Any thread. */
final class AsyncEvents {
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition arrived = lock.newCondition();
    private final Queue<AsyncEvent> events = new ArrayDeque<>();
    private boolean isClosed;

    void put(final AsyncEvent event) {
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

    /** Null after that time, when closed, or when interrupted. */
    @Nullable AsyncEvent take(final long timeoutNs) {
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
