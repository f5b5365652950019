package io.vhca.exs;

import io.vhca.api.Errno;
import io.vhca.api.VerbsException;
import io.vhca.exs.engine.Call;
import java.util.Objects;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Where calls complete ({@code exs_qhandle_t}): each call that was given this queue brings one event, in order per
 * socket and direction. A call takes a place when it is made, so that no event is ever lost. Any thread.
 */
public final class ExsQueue implements AutoCloseable {
    private static final int MOST_DEPTH = 1 << 20;

    private final Driver driver;
    private ExsEvent[] events;
    private int head;
    private int count;
    private int reserved; // places of calls that are not complete
    private boolean isClosed;
    private final BooleanSupplier isFilled = () -> isClosed || !isEmpty();

    ExsQueue(final Driver driver, final int depth) {
        this.driver = driver;
        events = create(depth);
    }

    static void checkDepth(final String call, final int depth) {
        if (depth < 1 || depth > MOST_DEPTH) {
            throw new VerbsException(
                    call, Errno.EINVAL, "event queue", "its depth is " + depth + "; it must be 1 .. " + MOST_DEPTH);
        }
    }

    private static ExsEvent[] create(final int depth) {
        final ExsEvent[] created = new ExsEvent[depth];
        for (int i = 0; i < depth; i++) {
            created[i] = new ExsEvent();
        }
        return created;
    }

    Driver driver() {
        return driver;
    }

    /** Whether there is a place for a call. The driver's lock. */
    boolean hasRoom(final String call) {
        if (isClosed) {
            throw new VerbsException(call, Errno.EINVAL, toString(), "the queue was deleted");
        }
        return reserved + count < events.length;
    }

    /** Takes a place for a call, where there is one. The driver's lock. */
    void reserve() {
        assert reserved + count < events.length : this;
        reserved++;
    }

    void post(final EventKind kind, final ExsSocket socket, final Call call) {
        final ExsEvent event = push(kind, socket, call.cookie);
        event.bytes = call.errno() == 0 ? call.bytes() : 0;
        event.errno = call.errno();
        event.isTruncated = call.isTruncated();
    }

    void post(
            final EventKind kind,
            final ExsSocket socket,
            final @Nullable Object cookie,
            final int errno,
            final @Nullable ExsSocket accepted) {
        final ExsEvent event = push(kind, socket, cookie);
        event.errno = errno;
        event.accepted = accepted;
    }

    /** A poll ends. */
    void post(final ExsSocket socket, final @Nullable Object cookie, final int errno, final int ready) {
        final ExsEvent event = push(EventKind.POLL, socket, cookie);
        event.errno = errno;
        event.ready = ready;
    }

    private ExsEvent push(final EventKind kind, final ExsSocket socket, final @Nullable Object cookie) {
        assert reserved > 0;
        reserved--;
        final ExsEvent event = events[(head + count++) % events.length];
        event.kind = kind;
        event.socket = socket;
        event.cookie = cookie;
        event.bytes = 0;
        event.errno = 0;
        event.isTruncated = false;
        event.ready = 0;
        event.accepted = null;
        driver.wake();
        return event;
    }

    /**
     * Takes events ({@code exs_qdequeue}). Without a thread of its own, this is what drives the sockets.
     *
     * @param into      filled from 0 on
     * @param timeoutNs how long to wait for the first: 0 not at all, {@link Long#MAX_VALUE} without end
     * @return how many were filled; 0 at once where the queue was deleted, or its Exs closed, and no event is left, or
     *     where the thread is interrupted, which it still is then
     */
    public int qdequeue(final ExsEvent[] into, final long timeoutNs) {
        return driver.dequeue(this, into, timeoutNs);
    }

    int take(final ExsEvent[] into) {
        final int taken = Math.min(count, into.length);
        for (int i = 0; i < taken; i++) {
            Objects.requireNonNull(into[i], "an event to be filled is null"); // before any event is moved
        }
        for (int i = 0; i < taken; i++) {
            final ExsEvent from = events[head];
            final ExsEvent to = into[i];
            to.kind = from.kind;
            to.socket = from.socket;
            to.accepted = from.accepted;
            to.cookie = from.cookie;
            to.bytes = from.bytes;
            to.errno = from.errno;
            to.isTruncated = from.isTruncated;
            to.ready = from.ready;
            from.socket = null;
            from.accepted = null;
            from.cookie = null;
            head = head + 1 == events.length ? 0 : head + 1;
        }
        count -= taken;
        return taken;
    }

    boolean isClosed() {
        return isClosed;
    }

    boolean isEmpty() {
        return count == 0;
    }

    /** Whether there are calls that are not complete, or events that nobody took. */
    boolean isAwaited() {
        driver.lock();
        try {
            return reserved + count > 0;
        } finally {
            driver.unlock();
        }
    }

    /** Whether who waits here has something: an event, or the end. */
    BooleanSupplier isFilled() {
        return isFilled;
    }

    /** Changes how many events and calls it has room for ({@code exs_qmodify}). EBUSY when it holds more. */
    public void qmodify(final int depth) {
        driver.locked(() -> {
            checkDepth("qmodify", depth);
            if (depth < count + reserved) {
                throw new VerbsException(
                        "qmodify", Errno.EBUSY, toString(), count + reserved + " events and calls need a place each");
            }
            final ExsEvent[] bigger = create(depth);
            final int kept = take(bigger);
            events = bigger;
            head = 0;
            count = kept;
        });
    }

    /**
     * Deletes it ({@code exs_qdelete}), with events that nobody took: of an accept, the socket is closed. Idempotent;
     * EBUSY while calls would end here.
     */
    public void qdelete() {
        driver.locked(() -> {
            if (reserved > 0) {
                throw new VerbsException(
                        "qdelete", Errno.EBUSY, toString(), reserved + " calls are not complete; close their sockets");
            }
            isClosed = true;
            final ExsEvent[] dropped = create(count);
            take(dropped);
            for (final ExsEvent event : dropped) {
                final ExsSocket accepted = event.accepted();
                if (accepted != null) {
                    accepted.close(); // nobody else knows of it
                }
            }
            driver.wake(); // who waits here waits for nothing
        });
    }

    /** As {@link #qdelete}. */
    @Override
    public void close() {
        qdelete();
    }

    @Override
    public String toString() {
        return "event queue of " + events.length;
    }
}
