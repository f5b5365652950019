package io.vhca.bond.core;

import io.vhca.recovery.BondError;
import io.vhca.recovery.wire.FailureReason;
import org.jspecify.annotations.Nullable;

/**
 * One recovery of one vQP, from the failure to its end.
 *
 * @param qpNum       the vQPN
 * @param epoch       epoch in which it ended
 * @param reason      how the failure was noticed first
 * @param fromPath    the path that failed, {@code member -> address}
 * @param toPath      the path in use afterwards, empty where there is none
 * @param startedNs   when it was noticed, on the clock that drives the bond
 * @param fenceNs     until the old physical QP was fenced and drained (first attempt)
 * @param connectNs   from there until the connection that held was established
 * @param replayNs    from there until everything was posted again
 * @param negotiated  requests completed by negotiation
 * @param replayed    requests posted again
 * @param initiator   true when this side sent the REQ that held
 * @param error       the named error that ended the vQP, or null
 */
public record FailoverReport(
        int qpNum,
        int epoch,
        FailureReason reason,
        String fromPath,
        String toPath,
        long startedNs,
        long fenceNs,
        long connectNs,
        long replayNs,
        long negotiated,
        long replayed,
        boolean initiator,
        @Nullable BondError error) {}
