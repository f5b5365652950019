package io.vhca.bond.failover;

import io.vhca.api.AsyncEvent;
import io.vhca.api.AsyncEventType;
import io.vhca.bond.BondContext;
import io.vhca.bond.core.PauseBackoff;
import io.vhca.bond.verbs.BondQueuePair;
import java.util.ArrayList;
import java.util.List;

/**
 * vQPs in SQD that are not drained yet: looks until the last request that the hardware was ever given is done, be it
 * after a failover, and raises SQ_DRAINED where the application asked for it. Control lock.
 *
 * <p>A request without a completion of its own is known to be done when a probe behind it is.
 */
public final class SendDrains {
    private static final long FIRST_PAUSE_NS = 20_000;
    private static final long LONGEST_PAUSE_NS = 1_000_000;

    private final BondContext context;
    private final List<Drain> drains = new ArrayList<>();
    private final PauseBackoff pace = new PauseBackoff(FIRST_PAUSE_NS, LONGEST_PAUSE_NS);

    private record Drain(BondQueuePair qp, boolean isNotified) {}

    public SendDrains(final BondContext context) {
        this.context = context;
    }

    /** The vQP went to SQD. */
    public void begin(final BondQueuePair qp, final boolean isNotified) {
        drains.add(new Drain(qp, isNotified));
        pace.restart();
        context.wakeUp();
    }

    /** The vQP went on, or is no more. */
    public void end(final BondQueuePair qp) {
        drains.removeIf(drain -> drain.qp == qp);
    }

    public int doWork(final long nowNs) {
        if (drains.isEmpty() || !pace.isDue(nowNs)) {
            return 0;
        }
        final int before = drains.size();
        drains.removeIf(this::isDone);
        pace.onLook(nowNs);
        return before - drains.size();
    }

    private boolean isDone(final Drain drain) {
        final BondQueuePair qp = drain.qp;
        qp.recovery().attachment().collect();
        if (qp.sendQueue().isDrained()) {
            if (drain.isNotified) {
                context.raise(AsyncEvent.ofQp(AsyncEventType.SQ_DRAINED, qp));
            }
            return true;
        }
        if (qp.recovery().healthyLink() != null) {
            qp.probe();
        }
        return false;
    }

    /** When the next look is due; {@link Long#MAX_VALUE} for never. */
    public long nextDeadlineNs() {
        return drains.isEmpty() ? Long.MAX_VALUE : pace.nextLookNs(context.conductor().nowNs());
    }
}
