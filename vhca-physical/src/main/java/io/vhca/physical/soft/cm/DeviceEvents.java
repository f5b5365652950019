package io.vhca.physical.soft.cm;

import io.vhca.physical.events.EventQueue;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Events of a soft device: whoever waits for one runs the device first, where that is how it is run. Any thread. */
public final class DeviceEvents<E> {
    private final CmHost device;
    private final EventQueue<E> events = new EventQueue<>();

    /** Empty and open. */
    public DeviceEvents(final CmHost device) {
        this.device = device;
    }

    /** Adds an event and wakes one waiter; nothing happens when closed. */
    public void put(final E event) {
        events.put(event);
    }

    /** Runs the device where that is the calling thread's business, then waits; null after that time or when closed. */
    public @Nullable E take(final long timeoutNs) {
        E event = events.take(0);
        if (event == null) {
            device.drive();
            event = events.take(0);
        }
        if (event == null && timeoutNs > 0) {
            device.waiting(true);
            try {
                event = events.take(timeoutNs);
            } finally {
                device.waiting(false);
            }
        }
        return event;
    }

    /** Drops the events that match; false when none does. */
    public boolean forget(final Predicate<E> which) {
        return events.forget(which);
    }

    /** Drops all and wakes every waiter. Idempotent. */
    public void close() {
        events.close();
    }
}
