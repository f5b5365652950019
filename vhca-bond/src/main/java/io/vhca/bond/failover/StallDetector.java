package io.vhca.bond.failover;

import io.vhca.bond.config.BondOption;
import io.vhca.bond.config.DetectMode;
import io.vhca.bond.core.BondCore;
import io.vhca.bond.core.DutyCycle;
import io.vhca.bond.core.EarliestDeadline;
import io.vhca.bond.link.Links;
import io.vhca.bond.member.Members;
import io.vhca.bond.verbs.BondQueuePair;
import io.vhca.bond.verbs.QpTable;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.Iterator;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Finds a path that dies without a word long before hardware gives up: where the requests of a vQP do not complete for
 * {@code detect_min}, or for four times as long as usual there, a {@link PathInquiry} asks the peer's bond. A path that
 * is dead is left by all vQPs on it, as if a heartbeat had failed.
 *
 * <p>It looks every {@code detect_min} while anything is under way, and five times less often while nothing is. It
 * reads queues from outside of their gates, so that posting and polling cost nothing more. Time is an argument. Control
 * lock.
 */
public final class StallDetector implements DutyCycle {
    /** Looks of a bond that has something under way in the time of one while it has not. */
    private static final int IDLE_LOOKS = 5;

    private final BondCore core;
    private final Links links;
    private final Members members;
    private final QpTable qps;
    private final SilenceMonitor silence;
    private final Map<BondQueuePair, Stall> stalls = new IdentityHashMap<>();
    private final Map<PathInUse, Asked> inquiries = new HashMap<>();
    private boolean isStarted;
    private long lastLookNs;
    private long periodNs;

    /** An inquiry because of a vQP, and the request of that which waited. */
    private record Asked(PathInquiry inquiry, BondQueuePair qp, long waiting) {}

    public StallDetector(
            final BondCore core, final Links links, final Members members, final QpTable qps,
            final SilenceMonitor silence) {
        this.core = core;
        this.links = links;
        this.members = members;
        this.qps = qps;
        this.silence = silence;
        qps.onRemoved(stalls::remove);
    }

    @Override
    public int doWork(final long nowNs) {
        assert core.holdsLock();
        if (core.config().get(BondOption.DETECT) == DetectMode.HARDWARE) {
            isStarted = false;
            inquiries.clear();
            return 0;
        }
        final int work = decide(nowNs);
        final long leastNs = core.config().get(BondOption.DETECT_MIN);
        if (!isStarted) {
            isStarted = true;
            lastLookNs = nowNs;
            periodNs = leastNs;
            return work;
        }
        if (nowNs - lastLookNs < periodNs) {
            return work;
        }
        lastLookNs = nowNs;
        final int asked = inquiries.size();
        boolean isBusy = false;
        for (final @Nullable BondQueuePair qp : qps.all()) {
            isBusy |= qp != null && look(qp, leastNs, nowNs);
        }
        periodNs = isBusy ? leastNs : IDLE_LOOKS * leastNs;
        return work + inquiries.size() - asked;
    }

    @Override
    public long nextDeadlineNs() {
        if (!isStarted) {
            return Long.MAX_VALUE;
        }
        final EarliestDeadline next = new EarliestDeadline();
        next.add(lastLookNs + periodNs);
        inquiries.values().forEach(asked -> next.add(asked.inquiry.deadlineNs()));
        return next.atNs();
    }

    /** Whether the vQP has, or had since the last look, something under way. */
    private boolean look(final BondQueuePair qp, final long leastNs, final long nowNs) {
        final PathInUse path = PathInUse.of(qp);
        final Stall stall = stalls.computeIfAbsent(qp, one -> new Stall());
        if (path == null) {
            stall.pause();
            return false;
        }
        final boolean isWaiting = qp.sendQueue().oldestAtGlance() >= 0;
        final long retired = qp.sendQueue().retired();
        final boolean isBusy = stall.look(retired, isWaiting, nowNs);
        if (stall.isLong(leastNs) && !inquiries.containsKey(path) && isStuck(qp, retired)) {
            stall.asked();
            final PathInquiry inquiry =
                    PathInquiry.begin(core, links, members, QpRecovery.of(qp), leastNs, nowNs);
            if (inquiry != null) {
                inquiries.put(path, new Asked(inquiry, qp, retired));
            }
        }
        return isBusy;
    }

    /** Looks inside: what completed may wait for an application that does not poll. */
    private static boolean isStuck(final BondQueuePair qp, final long waiting) {
        QpRecovery.of(qp).attachment().collect();
        return qp.sendQueue().oldestAwaited() == waiting;
    }

    private int decide(final long nowNs) {
        int work = 0;
        for (final Iterator<Map.Entry<PathInUse, Asked>> i = inquiries.entrySet().iterator(); i.hasNext(); ) {
            final Map.Entry<PathInUse, Asked> entry = i.next();
            final Asked asked = entry.getValue();
            final boolean isDead = asked.inquiry.isDead(nowNs);
            if (isDead || asked.inquiry.isOver() || !entry.getKey().equals(PathInUse.of(asked.qp))) {
                i.remove();
                work++;
            }
            if (isDead && entry.getKey().equals(PathInUse.of(asked.qp)) && isStuck(asked.qp, asked.waiting)) {
                silence.pathLost(asked.qp, nowNs);
            }
        }
        return work;
    }
}
