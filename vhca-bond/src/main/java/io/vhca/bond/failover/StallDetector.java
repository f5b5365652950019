package io.vhca.bond.failover;

import io.vhca.bond.config.BondOption;
import io.vhca.bond.core.BondCore;
import io.vhca.bond.core.DutyCycle;
import io.vhca.bond.core.EarliestDeadline;
import io.vhca.bond.link.PathLink;
import io.vhca.bond.verbs.BondQueuePair;
import io.vhca.bond.verbs.QpTable;
import java.util.IdentityHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Finds a path that dies without a word long before hardware gives up: where the requests of a vQP do not complete for
 * {@code detect_min}, or for twice as long as usual there, an {@link Inquiry} asks the peer's bond. A path that is
 * dead is left by all vQPs on it, as if a heartbeat had failed.
 *
 * <p>It looks twice every {@code detect_min} while anything is under way, and ten times less often while nothing is. It
 * reads queues from outside of their gates, so that posting and polling cost nothing more. Time is an argument. Control
 * lock.
 */
final class StallDetector implements DutyCycle {
    /** So many halves of {@code detect_min} are between two looks while something is under way. */
    private static final int BUSY_HALVES = 1;
    /** And while nothing is. */
    private static final int IDLE_HALVES = 10;
    /** And before the first one. */
    private static final int FIRST_HALVES = 2;

    private final BondCore core;
    private final QpTable qps;
    private final PathInquiries inquiries;
    private final PathEchoes echoes;
    private final Map<BondQueuePair, Stall> stalls = new IdentityHashMap<>();
    private boolean isStarted;
    private long lastLookNs;
    private int halves;

    StallDetector(
            final BondCore core, final QpTable qps, final PathInquiries inquiries, final PathEchoes echoes) {
        this.core = core;
        this.qps = qps;
        this.inquiries = inquiries;
        this.echoes = echoes;
        qps.onRemoved(stalls::remove);
    }

    @Override
    public int doWork(final long nowNs) {
        assert core.holdsLock();
        final int unfinished = echoes.poll();
        if (!core.asksPeers()) {
            isStarted = false;
            inquiries.clear();
            echoes.clear();
            return unfinished;
        }
        final int work = unfinished + inquiries.decide(nowNs);
        final long leastNs = core.config().get(BondOption.DETECT_MIN);
        if (!isStarted) {
            isStarted = true;
            lastLookNs = nowNs;
            halves = FIRST_HALVES;
            return work;
        }
        if (nowNs - nextLookNs() < 0) {
            return work;
        }
        lastLookNs = nowNs;
        final int asked = inquiries.size();
        boolean isBusy = false;
        for (final @Nullable BondQueuePair qp : qps.all()) {
            isBusy |= qp != null && look(qp, leastNs, nowNs);
        }
        if (echoes.beat(isBusy, leastNs, nowNs)) {
            rehearse(leastNs, nowNs);
        }
        halves = isBusy ? BUSY_HALVES : IDLE_HALVES;
        return work + inquiries.size() - asked;
    }

    @Override
    public long nextDeadlineNs() {
        if (!isStarted) {
            return Long.MAX_VALUE;
        }
        return new EarliestDeadline()
                .add(nextLookNs())
                .add(inquiries.nextDeadlineNs())
                .atNs();
    }

    /** Of how many vQPs it keeps how long their requests take. */
    int watched() {
        return stalls.size();
    }

    /** By what {@code detect_min} is now, also where it was another at the last look. */
    private long nextLookNs() {
        return lastLookNs + halves * core.config().get(BondOption.DETECT_MIN) / 2;
    }

    private void rehearse(final long leastNs, final long nowNs) {
        for (final @Nullable BondQueuePair qp : qps.all()) {
            if (qp != null) {
                inquiries.rehearse(qp, leastNs, nowNs);
            }
        }
    }

    /** Whether the vQP has, or had since the last look, something under way. */
    private boolean look(final BondQueuePair qp, final long leastNs, final long nowNs) {
        final PathLink link = QpRecovery.of(qp).healthyLink();
        final Stall stall = stalls.computeIfAbsent(qp, one -> new Stall());
        if (link == null) {
            stall.pause();
            return false;
        }
        stall.on(link);
        final boolean isWaiting = qp.sendQueue().oldestAtGlance() >= 0;
        final long retired = qp.sendQueue().retired();
        if (isWaiting && stall.isSame(retired) && !PathInquiries.isStuck(qp, retired)) {
            stall.pause();
            return true;
        }
        final boolean isBusy = stall.look(retired, isWaiting, nowNs);
        if (stall.isLong(leastNs) && inquiries.begin(qp, retired, leastNs, nowNs)) {
            stall.asked();
        }
        return isBusy;
    }
}
