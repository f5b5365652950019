package io.vhca.physical.soft.cm;

import java.lang.System.Logger;
import java.util.concurrent.atomic.AtomicLongArray;

/** The counters of one connection manager. Any thread. */
public final class CmCounters {
    private static final Logger LOGGER = System.getLogger(CmCounters.class.getName());

    private final String device;
    private final AtomicLongArray cells = new AtomicLongArray(CmCounter.values().length);

    /** All zero; {@code device} is whose they are. */
    CmCounters(final String device) {
        this.device = device;
    }

    /** The count since the device was opened. */
    public long get(final CmCounter counter) {
        return cells.get(counter.ordinal());
    }

    void increment(final CmCounter counter) {
        cells.incrementAndGet(counter.ordinal());
    }

    /** Counts a message or a deadline that the manager failed at, and logs the first with its stack trace. */
    void fault(final Throwable e) {
        if (cells.getAndIncrement(CmCounter.FAULTS.ordinal()) == 0) {
            LOGGER.log(
                    Logger.Level.ERROR,
                    device + ": a defect of the connection manager; it goes on, and only counts further ones",
                    e);
        }
    }

    @Override
    public String toString() {
        final StringBuilder text = new StringBuilder();
        for (final CmCounter counter : CmCounter.values()) {
            if (get(counter) != 0) {
                text.append(text.isEmpty() ? "" : " ").append(counter).append('=').append(get(counter));
            }
        }
        return text.toString();
    }
}
