package io.vhca.bond.failover;

import io.vhca.bond.core.BondCore;
import io.vhca.bond.core.DutyCycle;
import io.vhca.bond.core.EarliestDeadline;
import io.vhca.bond.link.Links;
import io.vhca.bond.member.Members;
import io.vhca.bond.verbs.QpTable;

/** All that finds what dies without a word: {@link SilenceMonitor} and {@link StallDetector}. Control lock. */
public final class Detection implements DutyCycle {
    private final SilenceMonitor silence;
    private final StallDetector stalls;

    public Detection(final BondCore core, final Links links, final Members members, final QpTable qps) {
        silence = new SilenceMonitor(core.config(), qps);
        stalls = new StallDetector(core, qps, new PathInquiries(core, links, members, silence));
    }

    public SilenceMonitor silence() {
        return silence;
    }

    /** Watches those for silence too. */
    public void add(final SilenceMonitor.Watched other) {
        silence.add(other);
    }

    @Override
    public int doWork(final long nowNs) {
        return silence.doWork(nowNs) + stalls.doWork(nowNs);
    }

    @Override
    public long nextDeadlineNs() {
        return new EarliestDeadline()
                .add(silence.nextDeadlineNs())
                .add(stalls.nextDeadlineNs())
                .atNs();
    }
}
