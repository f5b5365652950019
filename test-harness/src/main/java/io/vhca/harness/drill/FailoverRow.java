package io.vhca.harness.drill;

import org.jspecify.annotations.Nullable;

/**
 * One failover as the table shows it; times in ms, as the sender measured them.
 *
 * @param cut        number of the cut that caused it, from 1; 0 where no link was cut
 * @param what       what was cut: {@code sender soft0}
 * @param seenBy     how the sender noticed
 * @param peerSeenBy how the receiver noticed, empty where it did not report the same epoch
 * @param detectMs   from the cut until the first of both noticed
 * @param fenceMs    until the old QP was fenced and drained
 * @param connectMs  until the new connection stood
 * @param replayMs   until everything was posted again
 * @param negotiated operations completed by negotiation
 * @param replayed   operations posted again
 * @param to         the path in use afterwards
 * @param error      the named error, or null
 */
public record FailoverRow(
        int cut,
        String what,
        int epoch,
        String seenBy,
        String peerSeenBy,
        double detectMs,
        double fenceMs,
        double connectMs,
        double replayMs,
        long negotiated,
        long replayed,
        String to,
        @Nullable String error) {
    public double totalMs() {
        return detectMs + fenceMs + connectMs + replayMs;
    }
}
