package io.vhca.bond.core;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

/** The recoveries that ended, the last {@value #KEPT} of them kept. Control lock. */
public final class FailoverLog {
    public static final int KEPT = 1_024;

    private final ArrayDeque<FailoverReport> reports = new ArrayDeque<>();
    private long total;

    void add(final FailoverReport report) {
        if (reports.size() == KEPT) {
            reports.removeFirst();
        }
        reports.addLast(report);
        total++;
    }

    /** How many there have been. */
    long total() {
        return total;
    }

    /**
     * Which one the first of {@link #after} is, counted from 0. More than {@code seen} where some were forgotten that
     * nobody has seen.
     */
    public long firstAfter(final long seen) {
        return Math.min(total, Math.max(seen, total - reports.size()));
    }

    /** Those after the first {@code seen}, as far as they are kept, oldest first; a copy. */
    public List<FailoverReport> after(final long seen) {
        final List<FailoverReport> all = new ArrayList<>(reports);
        final long forgotten = total - all.size();
        return List.copyOf(all.subList((int) (firstAfter(seen) - forgotten), all.size()));
    }
}
