package io.vhca.bond.failover;

import io.vhca.bond.core.BondCore;
import io.vhca.bond.core.EarliestDeadline;
import io.vhca.bond.link.Links;
import io.vhca.bond.member.Members;
import io.vhca.bond.verbs.BondQueuePair;
import java.util.HashMap;
import java.util.Iterator;
import java.util.Map;

/** The {@link PathInquiry} of each path on which a vQP waits; of a dead path the vQPs fail over. Control lock. */
final class PathInquiries {
    private final BondCore core;
    private final Links links;
    private final Members members;
    private final SilenceMonitor silence;
    private final Map<PathInUse, Asked> open = new HashMap<>();

    /** An inquiry because of a vQP, and the request of that which waited. */
    private record Asked(PathInquiry inquiry, BondQueuePair qp, long waiting) {
        /** It uses the same path, and waits for the same completion. */
        boolean stillWaits(final PathInUse path) {
            return path.equals(PathInUse.of(qp)) && isStuck(qp, waiting);
        }
    }

    PathInquiries(final BondCore core, final Links links, final Members members, final SilenceMonitor silence) {
        this.core = core;
        this.links = links;
        this.members = members;
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
    boolean begin(
            final PathInUse path, final BondQueuePair qp, final long waiting, final long leastNs, final long nowNs) {
        if (open.containsKey(path)) {
            return false;
        }
        final PathInquiry inquiry = PathInquiry.begin(core, links, members, QpRecovery.of(qp), leastNs, nowNs);
        if (inquiry != null) {
            open.put(path, new Asked(inquiry, qp, waiting));
        }
        return true;
    }

    /** Ends those that are over, and leaves the paths that are dead; how many that were. */
    int decide(final long nowNs) {
        int work = 0;
        for (final Iterator<Map.Entry<PathInUse, Asked>> i = open.entrySet().iterator(); i.hasNext(); ) {
            final Map.Entry<PathInUse, Asked> entry = i.next();
            final Asked asked = entry.getValue();
            final boolean isDead = asked.inquiry.isDead(nowNs);
            if (isDead || asked.inquiry.isOver() || !entry.getKey().equals(PathInUse.of(asked.qp))) {
                i.remove();
                work++;
            }
            if (isDead && asked.stillWaits(entry.getKey())) {
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
