package io.vhca.bond;

import io.vhca.api.AsyncEvent;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The asynchronous events of a bond that its application has not taken yet. Any thread. */
final class BondAsyncEvents {
    private final LinkedBlockingQueue<AsyncEvent> events = new LinkedBlockingQueue<>();

    void put(final AsyncEvent event) {
        events.add(event);
    }

    /** The next one, or null when none comes in that time. */
    @Nullable AsyncEvent take(final long timeoutNs) {
        try {
            return timeoutNs <= 0 ? events.poll() : events.poll(timeoutNs, TimeUnit.NANOSECONDS);
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
            return null;
        }
    }
}
