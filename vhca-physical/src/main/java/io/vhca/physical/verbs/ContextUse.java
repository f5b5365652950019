package io.vhca.physical.verbs;

import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.Supplier;

/** The calls that read the memory of an open context, and its close, which waits for them. Any thread. */
final class ContextUse {
    private final ReadWriteLock lock = new ReentrantReadWriteLock();
    private volatile boolean isClosed;

    boolean isClosed() {
        return isClosed;
    }

    /**
     * The context is not closed during the call.
     *
     * @param require throws where the context is closed, or may not be used for another reason
     */
    <T> T during(final Runnable require, final Supplier<T> call) {
        lock.readLock().lock();
        try {
            require.run();
            return call.get();
        } finally {
            lock.readLock().unlock();
        }
    }

    /**
     * Returns when no call is under way any more; those that come next find it closed.
     *
     * @param waits   false for who is not to wait for a call
     * @param require throws where it must stay open, as for what such a call has made
     * @return false where one is under way that was not waited for: it stays open
     */
    boolean close(final boolean waits, final Runnable require) {
        final Lock calls = lock.writeLock();
        if (waits) {
            calls.lock();
        } else if (!calls.tryLock()) {
            return false;
        }
        try {
            require.run();
            isClosed = true;
            return true;
        } finally {
            calls.unlock();
        }
    }
}
