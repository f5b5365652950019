package io.vhca.recovery;

import java.util.ArrayDeque;
import java.util.List;

/** Keeps the last events in memory: the readable history of a simulation. One thread. */
public final class MemoryJournal implements Journal {
    private final ArrayDeque<JournalEvent> events = new ArrayDeque<>();
    private final int capacity;
    private long dropped;

    /** Keeps at most so many events, dropping the oldest. */
    public MemoryJournal(final int capacity) {
        if (capacity <= 0) {
            throw new IllegalArgumentException("capacity must be positive, not " + capacity);
        }
        this.capacity = capacity;
    }

    @Override
    public void append(final JournalEvent event) {
        if (events.size() == capacity) {
            events.removeFirst();
            dropped++;
        }
        events.addLast(event);
    }

    /** The events kept, oldest first. */
    public List<JournalEvent> events() {
        return List.copyOf(events);
    }

    /** Events that were dropped to make room. */
    public long dropped() {
        return dropped;
    }

    /** The history, one line an event. */
    public String format() {
        final StringBuilder text = new StringBuilder();
        if (dropped > 0) {
            text.append("(").append(dropped).append(" older events dropped)\n");
        }
        events.forEach(event -> text.append(event.format()).append('\n'));
        return text.toString();
    }
}
