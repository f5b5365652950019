package io.vhca.ras.trace;

/**
 * A record of a trace.
 *
 * @param ring     where it was
 * @param sequence its number in the ring, 1 and up
 * @param timeNs   when, by the clock of the process that wrote it
 * @param isExact  false where that is the time of the record before it
 * @param thread   who, by the thread's id
 * @param event    of {@link io.vhca.bond.trace.TraceEventDescriptor}
 * @param object   of {@link io.vhca.bond.trace.TraceObject}
 */
public record TraceRecord(
        int ring,
        long sequence,
        long timeNs,
        boolean isExact,
        int thread,
        int event,
        long object,
        long word0,
        long word1,
        long word2,
        long word3) {
    /** One of the four words. */
    long word(final int index) {
        return switch (index) {
            case 0 -> word0;
            case 1 -> word1;
            case 2 -> word2;
            default -> word3;
        };
    }
}
