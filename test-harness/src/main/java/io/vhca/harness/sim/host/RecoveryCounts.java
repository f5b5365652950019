package io.vhca.harness.sim.host;

import io.vhca.bond.core.BondCounters;
import io.vhca.bond.core.BondCounters.Counter;
import io.vhca.bond.core.BondObserver;
import io.vhca.bond.core.FailoverReport;
import io.vhca.harness.sim.core.Violations;
import io.vhca.recovery.wire.FailureReason;

/** The recoveries that a bond reports, and those of them that were planned; its counters are judged by that. */
final class RecoveryCounts implements BondObserver {
    private static final String NAME = "recoveries are counted";

    private long recovered;
    private long planned;
    private long plannedHere;

    @Override
    public void onFailover(final FailoverReport report) {
        if (report.error() == null) {
            recovered++;
            if (report.reason() == FailureReason.PLANNED) {
                planned++;
                plannedHere += report.initiator() ? 1 : 0;
            }
        }
    }

    /** A move of the peer's that began here as a failure is counted as one. */
    void judge(final BondCounters counters, final String where, final Violations violations) {
        final long begun = counters.get(Counter.FAILOVERS);
        final long healthy = counters.get(Counter.RECOVERED);
        final long moves = counters.get(Counter.MOVES);
        final long moved = counters.get(Counter.MOVED);
        if (healthy != recovered || moved < plannedHere || moved > Math.min(planned, moves) || moves > begun) {
            violations.report(
                    NAME, where,
                    recovered + " reported, " + planned + " of them planned, " + plannedHere + " here; counted "
                            + begun + ", " + healthy + " recovered, " + moves + " moves, " + moved + " moved");
        }
    }
}
