package io.vhca.ras.trace;

import io.vhca.bond.trace.TraceComponent;
import io.vhca.bond.trace.TraceEventDescriptor;
import io.vhca.bond.trace.TraceLevel;
import java.util.List;
import java.util.Set;

/**
 * Which records are shown.
 *
 * @param components those; empty for all
 * @param objects    those; empty for all
 * @param threads    ids of those; empty for all
 * @param level      that and all before it
 */
public record TraceFilter(Set<TraceComponent> components, Set<Long> objects, Set<Integer> threads, TraceLevel level) {
    /** Those of the records that pass, in their order. */
    public List<TraceRecord> of(final List<TraceRecord> records) {
        return records.stream().filter(this::shows).toList();
    }

    private boolean shows(final TraceRecord record) {
        return TraceEventDescriptor.level(record.event()) <= level.code()
                && (components.isEmpty()
                        || components.stream()
                                .anyMatch(one -> one.code() == TraceEventDescriptor.component(record.event())))
                && (objects.isEmpty() || objects.contains(record.object()))
                && (threads.isEmpty() || threads.contains(record.thread()));
    }
}
