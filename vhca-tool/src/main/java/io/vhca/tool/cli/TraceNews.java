package io.vhca.tool.cli;

import io.vhca.ras.trace.TraceContent;
import io.vhca.ras.trace.TraceRecord;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** What a trace that is read again and again has anew. One thread. */
final class TraceNews {
    /** The last sequence number of each ring. */
    private final Map<Integer, Long> seen = new HashMap<>();

    /**
     * What is new.
     *
     * @param records by time
     * @param missed  records before them that were overwritten, and never read
     */
    record Part(List<TraceRecord> records, long missed) {}

    /** What there is now that was not there before. */
    Part take(final TraceContent content) {
        final Map<Integer, Long> first = new HashMap<>();
        final List<TraceRecord> records = content.records().stream()
                .filter(record -> record.sequence() > seen(record.ring()))
                .toList();
        records.forEach(record -> first.merge(record.ring(), record.sequence(), Math::min));
        final long missed = first.entrySet().stream()
                .mapToLong(ring -> ring.getValue() - seen(ring.getKey()) - 1)
                .sum();
        records.forEach(record -> seen.merge(record.ring(), record.sequence(), Math::max));
        return new Part(records, missed);
    }

    private long seen(final int ring) {
        return seen.getOrDefault(ring, 0L);
    }
}
