package io.vhca.physical.soft.cm;

import io.vhca.physical.events.EventQueue;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Events of a soft device: whoever waits for one runs the device first, where that is how it is run. Any thread.
 *
 * <p>With a budget he goes on doing so for that long before he blocks, so that an event that comes soon wakes nobody:
 * SO_BUSY_POLL of socket(7), in user space. Whoever did so in vain does it again only after an event came.
 */
public final class DeviceEvents<E> {
    private static final int YIELD_STRIDE = 8;

    private final CmHost device;
    private final EventQueue<E> events = new EventQueue<>();
    private final long pollNs;
    private volatile boolean isWorthPolling;

    /** Empty and open. */
    public DeviceEvents(final CmHost device) {
        this(device, 0);
    }

    /** @param pollNs how long a waiter runs the device before he blocks */
    public DeviceEvents(final CmHost device, final long pollNs) {
        this.device = device;
        this.pollNs = pollNs;
        isWorthPolling = pollNs > 0;
    }

    /** Adds an event and wakes one waiter; nothing happens when closed. */
    public void put(final E event) {
        events.put(event);
    }

    /** As {@link EventQueue#onPut}. */
    public void onPut(final @Nullable Runnable listener) {
        events.onPut(listener);
    }

    /** As {@link EventQueue#wakeUp}. */
    public void wakeUp() {
        events.wakeUp();
    }

    /** Runs the device where that is the calling thread's business, then waits; null after that time or when closed. */
    public @Nullable E take(final long timeoutNs) {
        E event = events.take(0);
        if (event == null) {
            device.drive();
            event = events.take(0);
        }
        if (event == null && timeoutNs > 0) {
            event = await(timeoutNs);
            isWorthPolling = pollNs > 0 && event != null;
        }
        return event;
    }

    private @Nullable E await(final long timeoutNs) {
        final long startNs = device.nowNs();
        E event = isWorthPolling ? poll(startNs, Math.min(timeoutNs, pollNs)) : null;
        final long left = timeoutNs - (device.nowNs() - startNs);
        if (event == null && left > 0) {
            device.waiting(true);
            try {
                event = events.take(left);
            } finally {
                device.waiting(false);
            }
        }
        return event;
    }

    private @Nullable E poll(final long startNs, final long forNs) {
        for (int turns = 1; device.nowNs() - startNs < forNs && !events.isWoken(); turns++) {
            device.drive();
            final E event = events.take(0);
            if (event != null) {
                return event;
            }
            if (turns % YIELD_STRIDE == 0) {
                // Where cores are few, the peer that is waited for may need this one.
                Thread.yield();
            }
        }
        return null;
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
