package io.vhca.bond.failover;

import io.vhca.bond.core.BondCore;
import io.vhca.bond.core.BondCounters.Counter;
import io.vhca.bond.core.EarliestDeadline;
import io.vhca.bond.failover.Inquiry.Verdict;
import io.vhca.bond.trace.TraceEventDescriptor;
import io.vhca.bond.verbs.BondQueuePair;
import java.util.HashMap;
import java.util.Iterator;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The {@link Inquiry} about each path on which a vQP waits; of a dead path the vQPs fail over. Control lock. */
final class PathInquiries {
    /** No sequence of a request. */
    private static final long NONE_WAITS = -1;

    private final BondCore core;
    private final PathInquirer inquirer;
    private final SilenceMonitor silence;
    private final Map<PathInUse, Asked> open = new HashMap<>();
    private boolean hasRehearsed;

    /** An inquiry because of a vQP, and the request of that which waited. */
    private record Asked(Inquiry inquiry, BondQueuePair qp, long waiting) {
        /** It uses the same path, and waits for the same completion. */
        boolean stillWaits(final PathInUse path) {
            return waiting != NONE_WAITS && path.equals(PathInUse.of(qp)) && isStuck(qp, waiting);
        }
    }

    PathInquiries(final BondCore core, final PathInquirer inquirer, final SilenceMonitor silence) {
        this.core = core;
        this.inquirer = inquirer;
        this.silence = silence;
    }

    /** Looks inside whether a request waits: what completed may wait for an application that does not poll. */
    static boolean isStuck(final BondQueuePair qp, final long waiting) {
        QpRecovery.of(qp).attachment().collect();
        return qp.sendQueue().oldestAwaited() == waiting;
    }

    int size() {
        return open.size();
    }

    /** Nobody waits for an answer any more. */
    void clear() {
        open.clear();
    }

    /**
     * Asks about the path of a vQP, unless it is asked about already, or there is no other one to compare it with.
     *
     * @param waiting the request that does not complete
     * @return false where it is asked about
     */
    boolean begin(final BondQueuePair qp, final long waiting, final long leastNs, final long nowNs) {
        final PathInUse path = PathInUse.of(qp);
        if (path == null || open.containsKey(path)) {
            return false;
        }
        final Inquiry inquiry = inquirer.begin(path, QpRecovery.of(qp), leastNs, nowNs);
        if (inquiry != null) {
            core.counters().add(Counter.PATHS_SUSPECTED, 1);
            core.traceQp(TraceEventDescriptor.PATH_ASKED, qp.qpNum(), waiting, path.member(), 0);
            open.put(path, new Asked(inquiry, qp, waiting));
        }
        return true;
    }

    /**
     * Asks about a path on which nothing waits, once: a machine may need longer to load what an inquiry is made of than
     * a path may be silent.
     */
    void rehearse(final BondQueuePair qp, final long leastNs, final long nowNs) {
        final PathInUse path = hasRehearsed ? null : PathInUse.of(qp);
        final Inquiry inquiry =
                path == null ? null : inquirer.beginByEchoes(path, QpRecovery.of(qp), leastNs, nowNs);
        if (path != null && inquiry != null) {
            hasRehearsed = true;
            open.putIfAbsent(path, new Asked(inquiry, qp, NONE_WAITS));
        }
    }

    /** Ends those that are over, and leaves the paths that are dead; how many that were. */
    int decide(final long nowNs) {
        int work = 0;
        for (final Iterator<Map.Entry<PathInUse, Asked>> i = open.entrySet().iterator(); i.hasNext(); ) {
            final Map.Entry<PathInUse, Asked> entry = i.next();
            final Asked asked = entry.getValue();
            // One whose vQP has left the path asks nothing more: there may be no session any more to ask for.
            final Verdict verdict =
                    entry.getKey().equals(PathInUse.of(asked.qp)) ? asked.inquiry.look(nowNs) : Verdict.OVER;
            if (verdict != Verdict.OPEN) {
                core.traceQp(
                        verdict == Verdict.DEAD ? TraceEventDescriptor.PATH_DEAD : TraceEventDescriptor.PATH_NOT_DEAD,
                        asked.qp.qpNum(), asked.waiting, entry.getKey().member(), 0);
                i.remove();
                work++;
            }
            if (verdict == Verdict.DEAD && asked.stillWaits(entry.getKey())) {
                core.counters().add(Counter.PATHS_LOST, 1);
                silence.pathLost(asked.qp, nowNs);
            }
        }
        return work;
    }

    /** When {@link #decide} has something to do; {@link Long#MAX_VALUE} for never. */
    long nextDeadlineNs() {
        final EarliestDeadline next = new EarliestDeadline();
        open.values().forEach(asked -> next.add(asked.inquiry.deadlineNs()));
        return next.atNs();
    }
}
