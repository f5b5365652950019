package io.vhca.bond.core;

import io.vhca.api.AsyncEvent;
import io.vhca.api.AsyncEventType;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The asynchronous events of a bond that its application has not taken yet. Any thread. */
public final class BondAsyncEvents {
    /** Stays in the queue once the bond is closed: every thread that waits, now or later, returns. */
    private static final AsyncEvent END = AsyncEvent.ofDevice(AsyncEventType.UNKNOWN);

    private final LinkedBlockingQueue<AsyncEvent> events = new LinkedBlockingQueue<>();
    private final EventListener listener = new EventListener();
    private volatile boolean isToTell;

    public void put(final AsyncEvent event) {
        events.add(event);
        listener.tell();
    }

    /** The same inside a queue's gate, which the listener may wait for: it is told by {@link #tell}. */
    void putInside(final AsyncEvent event) {
        events.add(event);
        isToTell = true;
    }

    /** Whether the listener is still to be told of some. */
    boolean isToTell() {
        return isToTell;
    }

    /** Tells the listener of those that came inside gates. */
    void tell() {
        if (isToTell) {
            isToTell = false;
            listener.tell();
        }
    }

    /** As {@link io.vhca.api.Context#onAsyncEvent}. */
    public void onPut(final @Nullable Runnable told) {
        listener.replace(told, () -> !events.isEmpty());
    }

    /** A queue pair, or a queue, is no more: nobody can do anything with its events. */
    public void forget(final Object gone) {
        events.removeIf(event -> event.isOf(gone));
    }

    /** The bond is closed. */
    public void close() {
        events.add(END);
    }

    /** The next one, or null when none comes in that time or none any more. */
    public @Nullable AsyncEvent take(final long timeoutNs) {
        try {
            final AsyncEvent event =
                    timeoutNs <= 0 ? events.poll() : events.poll(timeoutNs, TimeUnit.NANOSECONDS);
            if (event != END) {
                return event;
            }
            events.add(END);
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return null;
    }
}
