package io.vhca.bond.failover;

import io.vhca.bond.core.BondCore;
import io.vhca.bond.core.DutyCycle;
import io.vhca.bond.core.EarliestDeadline;
import io.vhca.bond.link.PathLink;
import io.vhca.recovery.wire.SessionId;

/**
 * All that finds what dies without a word: {@link SilenceMonitor} and {@link StallDetector}, with the echoes by which
 * this bond asks its peers and answers them. Control lock.
 */
public final class Detection implements DutyCycle, AutoCloseable {
    private final PathEchoes echoes;
    private final SilenceMonitor silence;
    private final StallDetector stalls;

    /**
     * Of the vQPs that recover.
     *
     * @param others are watched for silence too
     */
    public Detection(final Recoveries recoveries, final SilenceMonitor.Watched others) {
        final Recoveries.Scope scope = recoveries.scope();
        final BondCore core = scope.core();
        echoes = new PathEchoes(core, scope.links(), scope.members(), scope.qps(), scope.peers());
        silence = new SilenceMonitor(core.config(), scope.qps());
        silence.add(others);
        final PathInquirer inquirer = new PathInquirer(core, scope.links(), scope.members(), echoes);
        stalls = new StallDetector(core, scope.qps(), new PathInquiries(core, inquirer, silence), echoes);
    }

    public SilenceMonitor silence() {
        return silence;
    }

    /** The REJ that answers a {@link PathProbe}. */
    public byte[] answer(final PathLink probe, final SessionId session) {
        return echoes.answer(probe, session);
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

    @Override
    public void close() {
        echoes.close();
    }
}
