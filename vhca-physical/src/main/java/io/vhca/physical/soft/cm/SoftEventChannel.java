package io.vhca.physical.soft.cm;

import io.vhca.api.Context;
import io.vhca.api.Errno;
import io.vhca.api.VerbsException;
import io.vhca.api.cm.CmEvent;
import io.vhca.api.cm.CmEventChannel;
import io.vhca.api.cm.CmId;
import io.vhca.api.cm.CmPortSpace;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** An event channel of the soft connection manager. Any thread. */
final class SoftEventChannel implements CmEventChannel {
    private final CommunicationManager manager;
    private final Context context;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition arrived = lock.newCondition();
    private final Queue<CmEvent> events = new ArrayDeque<>();
    /** Ids open on it; guarded by the manager's lock. */
    int ids;

    private boolean isClosed;

    SoftEventChannel(final CommunicationManager manager, final Context context) {
        this.manager = manager;
        this.context = context;
    }

    Context context() {
        return context;
    }

    @Override
    public CmId createId(final CmPortSpace portSpace, final @Nullable Object idContext) {
        return manager.createId(this, portSpace, idContext);
    }

    void put(final CmEvent event) {
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

    /** Drops the events of an id that is closed. */
    void forget(final CmId id) {
        lock.lock();
        try {
            events.removeIf(event -> event.id() == id);
        } finally {
            lock.unlock();
        }
    }

    @Override
    public @Nullable CmEvent getEvent(final long timeoutNs) {
        CmEvent event = take(0);
        if (event == null) {
            manager.drive();
            event = take(0);
            if (event == null && timeoutNs > 0) {
                manager.waiting(true);
                try {
                    event = take(timeoutNs);
                } finally {
                    manager.waiting(false);
                }
            }
        }
        return event;
    }

    private @Nullable CmEvent take(final long timeoutNs) {
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

    @Override
    public void close() {
        manager.closeChannel(this);
    }

    /** With the manager's lock held. */
    void closeLocked() {
        lock.lock();
        try {
            if (isClosed) {
                return;
            }
            if (ids > 0) {
                throw new VerbsException(
                        "destroyEventChannel",
                        Errno.EBUSY,
                        manager.name() + " event channel",
                        ids + " ids still use it: close them first");
            }
            isClosed = true;
            events.clear();
            arrived.signalAll();
        } finally {
            lock.unlock();
        }
    }
}
