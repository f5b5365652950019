package io.vhca.bond.failover;

import io.vhca.api.AsyncEvent;
import io.vhca.api.AsyncEventType;
import io.vhca.bond.core.BondCore;
import io.vhca.bond.core.DutyCycle;
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
public final class SendDrains implements DutyCycle {
    private static final long FIRST_PAUSE_NS = 20_000;
    private static final long LONGEST_PAUSE_NS = 1_000_000;

    private final BondCore core;
    private final List<Drain> drains = new ArrayList<>();
    private final PauseBackoff pace = new PauseBackoff(FIRST_PAUSE_NS, LONGEST_PAUSE_NS);

    private record Drain(BondQueuePair qp, boolean isNotified) {}

    public SendDrains(final BondCore core) {
        this.core = core;
    }

    /** The vQP went to SQD. */
    public void begin(final BondQueuePair qp, final boolean isNotified) {
        assert core.holdsLock();
        drains.add(new Drain(qp, isNotified));
        pace.restart();
        core.wakeUp();
    }

    /** The vQP went on, or is no more. */
    public void end(final BondQueuePair qp) {
        assert core.holdsLock();
        drains.removeIf(drain -> drain.qp == qp);
    }

    @Override
    public int doWork(final long nowNs) {
        assert core.holdsLock();
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
        QpRecovery.of(qp).attachment().collect();
        if (qp.sendQueue().isDrained()) {
            if (drain.isNotified) {
                core.raise(AsyncEvent.ofQp(AsyncEventType.SQ_DRAINED, qp));
            }
            return true;
        }
        if (QpRecovery.of(qp).liveLink() != null) {
            qp.probe();
        }
        return false;
    }

    /** When the next look is due; {@link Long#MAX_VALUE} for never. */
    @Override
    public long nextDeadlineNs() {
        assert core.holdsLock();
        return drains.isEmpty() ? Long.MAX_VALUE : pace.nextLookNs(core.nowNs());
    }
}
