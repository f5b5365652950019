package io.vhca.bond.placement;

import io.vhca.bond.BondContext;
import io.vhca.bond.config.BondMode;
import io.vhca.bond.link.PathLink;
import io.vhca.bond.member.Member;
import io.vhca.bond.queue.VirtualSendQueue;
import io.vhca.bond.verbs.BondQueuePair;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Measures for balance-tlb what every vQP sends, and gives those a new place that {@link LoadBalance} wants moved. It
 * looks at the queues' cursors and slots from the bond's thread, in passing: posts and polls do nothing for it, and in
 * other modes nobody looks. Control lock.
 */
public final class LoadSampler {
    static final long PERIOD_NS = TimeUnit.MILLISECONDS.toNanos(100);

    /** How much the last period counts against all those before it. */
    private static final double FRESHNESS = 0.5;

    private static final double NS_A_SECOND = TimeUnit.SECONDS.toNanos(1);

    private final BondContext context;
    private final boolean isOn;
    private final LoadBalance balance = new LoadBalance();
    private @Nullable Rate[] rates = new Rate[16];
    private double[] loads = new double[0];
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

    public LoadSampler(final BondContext context) {
        this.context = context;
        isOn = context.config().mode() == BondMode.BALANCE_TLB;
    }

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
        for (final @Nullable BondQueuePair qp : context.qps().all()) {
            final PathLink link = qp == null ? null : qp.recovery().healthyLink();
            if (qp != null && link != null) {
                seen.add(qp);
                flows.add(flow(qp, link.member(), elapsedNs));
            }
        }
        final double[] speeds = speeds();
        loads = LoadBalance.loads(speeds, flows);
        final List<LoadBalance.Move> moves = balance.decide(speeds, flows, nowNs);
        for (final LoadBalance.Move move : moves) {
            seen.get(move.flow()).recovery().paths().place(move.to());
        }
        if (!moves.isEmpty()) {
            context.conductor().relocation().look();
        }
        return moves.size();
    }

    /** When the next look is due; {@link Long#MAX_VALUE} in other modes. */
    public long nextDeadlineNs() {
        return isOn && started ? lastNs + PERIOD_NS : Long.MAX_VALUE;
    }

    private LoadBalance.Flow flow(final BondQueuePair qp, final Member on, final long elapsedNs) {
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
        final int place = qp.recovery().paths().place();
        final boolean isHome = place != Placement.PEERS
                && context.conductor().placement().preferred(place) == on;
        return new LoadBalance.Flow(on.index(), rate.bytesASecond + underWay, isHome);
    }

    /** Of links that may be used; all alike where one does not know its speed. */
    private double[] speeds() {
        final List<Member> members = context.members();
        final boolean known = members.stream().allMatch(member -> !member.isEligible() || member.speedMbps() > 0);
        return members.stream()
                .mapToDouble(member -> !member.isEligible() ? 0 : known ? member.speedMbps() : 1)
                .toArray();
    }

    /**
     * Index of the member for a new vQP: of those that have the least to do, one after another.
     *
     * @param turn counts vQPs
     */
    int leastLoaded(final int turn) {
        final List<Member> eligible =
                context.members().stream().filter(Member::isEligible).toList();
        final double least = eligible.stream().mapToDouble(this::load).min().orElse(0);
        final List<Member> idlest = eligible.stream()
                .filter(member -> load(member) <= least / (1 - LoadBalance.LEAST_GAIN))
                .toList();
        return idlest.isEmpty()
                ? context.conductor().monitor().active().index()
                : idlest.get((turn & Integer.MAX_VALUE) % idlest.size()).index();
    }

    /** At the last look; what is next to nothing counts as nothing. */
    private double load(final Member member) {
        final double load = member.index() < loads.length ? loads[member.index()] : 0;
        return load * Math.max(1, member.speedMbps()) < LoadBalance.LEAST_LOAD ? 0 : load;
    }
}
