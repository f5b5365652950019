package io.vhca.tool.cli;

import io.vhca.ras.trace.TraceContent;
import io.vhca.ras.trace.TraceRecord;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** What a trace that is read again and again has anew. One thread. */
final class TraceNews {
    private final Map<Integer, Ring> rings = new HashMap<>();

    /**
     * What is new.
     *
     * @param records by time
     * @param missed  records before them that were overwritten, and never read
     */
    record Part(List<TraceRecord> records, long missed) {}

    /** What was told of a ring. A record that was being written when its successors were read comes later than they. */
    private static final class Ring {
        /** None up to this sequence number is new any more. */
        private long settled;
        /** Those beyond that were told: the next one is not among them. */
        private final Set<Long> told = new HashSet<>();

        /** Those before this one are overwritten; how many of them were not told. */
        long begin(final long oldest) {
            if (oldest - 1 <= settled) {
                return 0;
            }
            final int before = told.size();
            told.removeIf(sequence -> sequence < oldest);
            final long missed = oldest - 1 - settled - (before - told.size());
            settled = oldest - 1;
            return missed;
        }

        /** Whether it was not told before; now it is. */
        boolean isNew(final long sequence) {
            return sequence > settled && told.add(sequence);
        }

        void settle() {
            while (told.remove(settled + 1)) {
                settled++;
            }
        }
    }

    /** What there is now that was not there before. */
    Part take(final TraceContent content) {
        final Map<Integer, Long> oldest = new HashMap<>();
        content.records().forEach(record -> oldest.merge(record.ring(), record.sequence(), Math::min));
        final long missed = oldest.entrySet().stream()
                .mapToLong(ring -> ring(ring.getKey()).begin(ring.getValue()))
                .sum();
        final List<TraceRecord> records = new ArrayList<>();
        for (final TraceRecord record : content.records()) {
            if (ring(record.ring()).isNew(record.sequence())) {
                records.add(record);
            }
        }
        rings.values().forEach(Ring::settle);
        return new Part(records, missed);
    }

    private Ring ring(final int number) {
        return rings.computeIfAbsent(number, none -> new Ring());
    }
}
