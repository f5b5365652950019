package io.vhca.bond.placement;

import io.vhca.bond.config.BondConfig;
import io.vhca.bond.config.BondMode;
import io.vhca.bond.core.DutyCycle;
import io.vhca.bond.failover.QpRecovery;
import io.vhca.bond.link.PathLink;
import io.vhca.bond.link.RemotePaths;
import io.vhca.bond.member.Member;
import io.vhca.bond.member.MemberObserver;
import io.vhca.bond.member.Members;
import io.vhca.bond.queue.VirtualSendQueue;
import io.vhca.bond.verbs.BondQueuePair;
import io.vhca.bond.verbs.QpTable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Measures for balance-tlb what every vQP sends, and gives those a new place that {@link LoadBalance} wants moved. It
 * looks at the queues' cursors and slots from the bond's thread, in passing: posts and polls do nothing for it, and in
 * other modes nobody looks. Control lock.
 */
public final class LoadSampler implements DutyCycle {
    static final long PERIOD_NS = TimeUnit.MILLISECONDS.toNanos(100);

    /** How much the last period counts against all those before it. */
    private static final double FRESHNESS = 0.5;

    private static final double NS_A_SECOND = TimeUnit.SECONDS.toNanos(1);

    private final LongSupplier updelayNs;
    private final Members members;
    private final QpTable qps;
    private final Placement placement;
    private final MemberLoads loads;
    private final boolean isOn;
    private final LoadBalance balance = new LoadBalance();
    private @Nullable Rate[] rates = new Rate[16];
    private boolean started;
    private long lastNs;

    /** What is known of the vQP of an index. */
    private static final class Rate {
        private final BondQueuePair qp;
        private long retired;
        private double bytesASecond;

        private Rate(final BondQueuePair qp) {
            this.qp = qp;
            retired = qp.sendQueue().retired();
        }
    }

    public LoadSampler(
            final BondConfig config,
            final LongSupplier updelayNs,
            final Members members,
            final QpTable qps,
            final Placement placement,
            final MemberLoads loads) {
        this.updelayNs = updelayNs;
        this.members = members;
        this.qps = qps;
        this.placement = placement;
        this.loads = loads;
        isOn = config.mode() == BondMode.BALANCE_TLB;
        qps.onRemoved(this::forget);
    }

    private void forget(final BondQueuePair qp) {
        if (qp.index() < rates.length) {
            rates[qp.index()] = null;
        }
    }

    @Override
    public int doWork(final long nowNs) {
        if (!isOn) {
            return 0;
        }
        if (!started) {
            started = true;
            lastNs = nowNs;
        }
        if (nowNs - lastNs < PERIOD_NS) {
            return 0;
        }
        final long elapsedNs = nowNs - lastNs;
        lastNs = nowNs;
        final List<BondQueuePair> seen = new ArrayList<>();
        final List<LoadBalance.Flow> flows = new ArrayList<>();
        for (final @Nullable BondQueuePair qp : qps.all()) {
            final PathLink link = qp == null ? null : QpRecovery.of(qp).healthyLink();
            if (qp != null && link != null) {
                seen.add(qp);
                flows.add(flow(qp, link.member(), elapsedNs, nowNs));
            }
        }
        final double[] speeds = speeds();
        loads.seen(LoadBalance.loads(speeds, flows), speeds);
        final List<LoadBalance.Move> moves = balance.decide(
                speeds, flows, (flow, member) -> reaches(seen.get(flow), members.all().get(member), nowNs), nowNs);
        for (final LoadBalance.Move move : moves) {
            QpRecovery.of(seen.get(move.flow())).paths().place(move.to());
        }
        if (!moves.isEmpty()) {
            members.observers().forEach(MemberObserver::onPreferenceChanged);
        }
        return moves.size();
    }

    /** When the next look is due; {@link Long#MAX_VALUE} in other modes. */
    @Override
    public long nextDeadlineNs() {
        return isOn && started ? lastNs + PERIOD_NS : Long.MAX_VALUE;
    }

    private LoadBalance.Flow flow(
            final BondQueuePair qp, final Member on, final long elapsedNs, final long nowNs) {
        if (qp.index() >= rates.length) {
            rates = Arrays.copyOf(rates, Integer.highestOneBit(qp.index()) * 2);
        }
        Rate rate = rates[qp.index()];
        if (rate == null || rate.qp != qp) {
            rate = new Rate(qp);
            rates[qp.index()] = rate;
        }
        final VirtualSendQueue queue = qp.sendQueue();
        final long retired = queue.retired();
        final double sent = queue.bytesAtGlance(rate.retired, retired) * NS_A_SECOND / elapsedNs;
        rate.retired = retired;
        rate.bytesASecond += FRESHNESS * (sent - rate.bytesASecond);
        // What is under way shows where a link does not keep up: it counts as if it were sent within one period.
        final double underWay = queue.bytesAtGlance(retired, queue.postedAtGlance()) * NS_A_SECOND / PERIOD_NS;
        final RemotePaths paths = QpRecovery.of(qp).paths();
        final boolean isPlacedHere = paths.isPlacedHere();
        final Member home = isPlacedHere ? placement.preferred(paths.place()) : on;
        // One that waits for a link to be steady will be there. One whose peer is not reached from there never will.
        final boolean isOnItsWay = home != on && isReached(qp, home, nowNs);
        return new LoadBalance.Flow(
                isOnItsWay ? home.index() : on.index(), rate.bytesASecond + underWay, isPlacedHere && !isOnItsWay);
    }

    private boolean reaches(final BondQueuePair qp, final Member to, final long nowNs) {
        return to.isSteady(updelayNs.getAsLong(), nowNs) && isReached(qp, to, nowNs);
    }

    private static boolean isReached(final BondQueuePair qp, final Member from, final long nowNs) {
        return QpRecovery.of(qp).paths().isReached(from, nowNs);
    }

    /** Of links that may be used; all alike where one does not know its speed. */
    private double[] speeds() {
        final List<Member> all = members.all();
        final boolean known = all.stream().allMatch(member -> !member.isEligible() || member.speedMbps() > 0);
        return all.stream()
                .mapToDouble(member -> !member.isEligible() ? 0 : known ? member.speedMbps() : 1)
                .toArray();
    }
}
