package io.vhca.harness.drill;

import io.vhca.bond.core.FailoverLog;
import io.vhca.bond.core.FailoverReport;
import io.vhca.harness.drill.protocol.DrillLine;
import java.util.Arrays;
import java.util.List;
import java.util.function.ToLongFunction;

/**
 * One cut of a {@link ScaleRun}: how long all of it took, and the phases of its recoveries.
 *
 * @param totalNs    from the cut until all that was in flight had completed and every queue pair was on the other port
 * @param detectNs   from the cut until the first recovery began
 * @param fenceNs    of a recovery until the old queue pair was fenced and drained: the median of the recoveries
 * @param exchangeNs of a recovery from there until the connection that held was established, likewise
 * @param replayNs   of a recovery from there until everything was posted again, likewise
 * @param afterNs    from the begin of the first recovery to the end of the last one
 * @param standbys   recoveries that took a connection which stood by
 */
public record ScaleCut(
        long totalNs, long detectNs, long fenceNs, long exchangeNs, long replayNs, long afterNs, long standbys) {
    /** So many recoveries a bond remembers: of a cut that caused more, only the last ones have their phases here. */
    public static final int MOST_KNOWN = FailoverLog.KEPT;

    /** Of the recoveries that a cut caused: one at least, at most the last {@value #MOST_KNOWN}. */
    public static ScaleCut of(
            final long cutNs, final long totalNs, final List<FailoverReport> recoveries, final long standbys) {
        final long firstNs = recoveries.stream().mapToLong(FailoverReport::startedNs).min().orElseThrow();
        final long lastNs = recoveries.stream().mapToLong(ScaleCut::endedNs).max().orElseThrow();
        return new ScaleCut(
                totalNs, firstNs - cutNs, median(recoveries, FailoverReport::fenceNs),
                median(recoveries, FailoverReport::connectNs), median(recoveries, FailoverReport::replayNs),
                lastNs - firstNs, standbys);
    }

    private static long endedNs(final FailoverReport recovery) {
        return recovery.startedNs() + recovery.fenceNs() + recovery.connectNs() + recovery.replayNs();
    }

    private static long median(final List<FailoverReport> recoveries, final ToLongFunction<FailoverReport> time) {
        final long[] times = recoveries.stream().mapToLong(time).toArray();
        Arrays.sort(times);
        return times[times.length / 2];
    }

    /** As a child tells it. */
    public DrillLine line() {
        return DrillLine.of(
                "scale", "total", totalNs, "detect", detectNs, "fence", fenceNs, "exchange", exchangeNs, "replay",
                replayNs, "after", afterNs, "standbys", standbys);
    }

    /** Of such a line. */
    static ScaleCut of(final DrillLine line) {
        return new ScaleCut(
                line.number("total"), line.number("detect"), line.number("fence"), line.number("exchange"),
                line.number("replay"), line.number("after"), line.number("standbys"));
    }
}
