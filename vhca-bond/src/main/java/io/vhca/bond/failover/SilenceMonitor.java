package io.vhca.bond.failover;

import io.vhca.bond.config.BondConfig;
import io.vhca.bond.core.DutyCycle;
import io.vhca.bond.verbs.BondQueuePair;
import io.vhca.bond.verbs.QpTable;
import io.vhca.recovery.wire.FailureReason;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Finds failures that no event reports: hardware that never completes what it was given ({@link CompletionWatchdog}),
 * and a path or peer that died while nothing was under way. For the latter one vQP on each path in use sends a probe
 * every {@code heartbeat}, a WRITE of no bytes, which the hardware at the other end answers by itself.
 *
 * <p>It reads queues from outside of their gates, and rarely, so that posting and polling cost nothing more. Of a look
 * that comes late, as after the process was stopped or had no processor, two periods count at most: the rest was not
 * watched. Time is an argument. Control lock.
 */
public final class SilenceMonitor implements DutyCycle {
    /** Looks in the time that it must notice something. */
    private static final int LOOKS = 4;

    /** Stands for a probe where sequences of requests stand otherwise. */
    private static final long PROBE = Long.MAX_VALUE;

    private final QpTable qps;
    private final List<Watched> others = new ArrayList<>();
    private final long watchdogNs;
    /** A connection to a peer without the bond ends by a bark, rather than to move: somebody has to want that. */
    private final boolean watchesPlain;
    private final long heartbeatNs;
    private final long periodNs;
    private boolean started;
    private long nextLookNs;
    private long nextBeatNs;
    /** The path of the last probe that failed, unless its others have been given up since; and when that was. */
    private @Nullable PathInUse suspected;

    private long suspectedNs;
    /** How long it has watched. */
    private long watchedNs;

    /** Queue pairs that are no {@link BondQueuePair}, and that hardware may be silent to as well. Control lock. */
    @FunctionalInterface
    public interface Watched {
        /**
         * A look at all of them is due.
         *
         * @param watchedNs how long the monitor has watched
         */
        void onLook(long watchedNs);
    }

    public SilenceMonitor(final BondConfig config, final QpTable qps) {
        this.qps = qps;
        heartbeatNs = config.heartbeatNs();
        watchdogNs = config.watchdogNs();
        watchesPlain = config.hasWatchdog();
        final long shortestNs =
                heartbeatNs == 0 ? watchdogNs : watchdogNs == 0 ? heartbeatNs : Math.min(heartbeatNs, watchdogNs);
        // Flushes that nobody asked for are looked for whatever the options say.
        final long longestNs = config.silenceNs();
        periodNs = Math.max(1, (shortestNs == 0 ? longestNs : Math.min(shortestNs, longestNs)) / LOOKS);
    }

    /** Watches those too. */
    public void add(final Watched other) {
        others.add(other);
    }

    @Override
    public int doWork(final long nowNs) {
        if (!started) {
            started = true;
            nextLookNs = nowNs + periodNs;
            nextBeatNs = nowNs + heartbeatNs;
        }
        if (nowNs - nextLookNs < 0) {
            return 0;
        }
        watchedNs += periodNs + Math.min(nowNs - nextLookNs, periodNs);
        nextLookNs = nowNs + periodNs;
        int work = 0;
        for (final @Nullable BondQueuePair qp : qps.all()) {
            if (qp != null) {
                work += look(qp, nowNs);
            }
        }
        if (countsSilence()) {
            others.forEach(one -> one.onLook(watchedNs));
        }
        if (heartbeatNs != 0 && nowNs - nextBeatNs >= 0) {
            nextBeatNs = nowNs + heartbeatNs;
            beat();
        }
        return work;
    }

    /** When the next look is due; {@link Long#MAX_VALUE} for never. */
    @Override
    public long nextDeadlineNs() {
        return !started ? Long.MAX_VALUE : nextLookNs;
    }

    /** Without either option hardware may be silent for any time. */
    private boolean countsSilence() {
        return heartbeatNs != 0 || watchdogNs != 0;
    }

    private int look(final BondQueuePair qp, final long nowNs) {
        final CompletionWatchdog watchdog = QpRecovery.of(qp).watchdog();
        watchdog.completedThrough(qp.sendQueue().retired());
        if (QpRecovery.of(qp).liveLink() == null) {
            watchdog.pause();
            return 0;
        }
        if (qp.own().isFlushedUnasked()) {
            QpRecovery.of(qp).onPathFailure(FailureReason.LOCAL_QP_ERROR, nowNs);
            return 1;
        }
        if (!countsSilence()) {
            return 0;
        }
        if (QpRecovery.of(qp).plain() != null && !watchesPlain) {
            return 0; // its receiver may be late, and a long request take its time: its device decides alone
        }
        // From outside of the application's gates, which it would feel; the second look is exact. Behind a probe only
        // that one counts: a glance cannot tell requests without a completion of their own from others, and whatever
        // the two call by different names would seem to get on.
        if (!qp.own().isProbing() && !watchdog.isSilent(atGlance(qp), watchedNs)) {
            return 0;
        }
        // What completed may wait for an application that does not poll.
        QpRecovery.of(qp).attachment().collect();
        final long awaited = awaited(qp);
        if (!watchdog.isSilent(awaited, watchedNs)) {
            return 0;
        }
        watchdog.barked();
        // A probe behind a request that a receiver is not ready for says nothing of the path that others use as well.
        if (awaited == PROBE && atGlance(qp) == CompletionWatchdog.IDLE) {
            pathLost(qp, nowNs);
        } else {
            QpRecovery.of(qp).onPathFailure(FailureReason.WATCHDOG, nowNs);
        }
        return 1;
    }

    private long atGlance(final BondQueuePair qp) {
        final long oldest = watchdogNs == 0 ? -1 : qp.sendQueue().oldestAtGlance();
        return oldest >= 0 ? oldest : CompletionWatchdog.IDLE;
    }

    /** What the hardware has that must complete: the oldest request of the application's, or a probe. */
    private long awaited(final BondQueuePair qp) {
        final long oldest = watchdogNs == 0 ? -1 : qp.sendQueue().oldestAwaited();
        return oldest >= 0 ? oldest : qp.own().isProbing() ? PROBE : CompletionWatchdog.IDLE;
    }

    /** Probes every path over which no send completed since the last look. */
    private void beat() {
        final Set<PathInUse> probed = new HashSet<>();
        for (final @Nullable BondQueuePair qp : qps.all()) {
            final PathInUse path = qp == null ? null : PathInUse.of(qp);
            if (path != null && qp != null && QpRecovery.of(qp).watchdog().hasProgressed()) {
                probed.add(path);
            }
        }
        for (final @Nullable BondQueuePair qp : qps.all()) {
            final PathInUse path = qp == null ? null : PathInUse.of(qp);
            if (qp != null && path != null && (qp.own().isProbing() || !probed.contains(path))) {
                probed.add(path);
                qp.probe();
            }
        }
    }

    /**
     * The hardware of a vQP gave its probe up. That alone does not say that the path is dead: a machine that had no
     * turn for as long as the retries last answers again. So whatever else runs over the path is probed at once, and
     * moves only when one of those fails as well.
     */
    public void probeFailed(final BondQueuePair prober, final long nowNs) {
        final PathInUse path = PathInUse.of(prober);
        if (path == null) {
            pathLost(prober, nowNs);
            return;
        }
        final boolean isSecond = path.equals(suspected) && nowNs - suspectedNs <= Math.max(heartbeatNs, watchdogNs);
        suspected = isSecond ? null : path;
        suspectedNs = nowNs;
        if (isSecond) {
            pathLost(prober, nowNs);
            return;
        }
        QpRecovery.of(prober).onPathFailure(FailureReason.HEARTBEAT, nowNs);
        for (final @Nullable BondQueuePair qp : qps.all()) {
            if (qp != null && path.equals(PathInUse.of(qp))) {
                qp.probe();
            }
        }
    }

    /**
     * The probe of a vQP was not answered: whatever else runs over the same path fails with it, and what runs there in
     * another class is probed at once.
     */
    public void pathLost(final BondQueuePair prober, final long nowNs) {
        final PathInUse lost = PathInUse.of(prober);
        if (lost == null) {
            if (QpRecovery.of(prober).liveLink() != null) { // the peer has no bond, so nobody shares the path
                QpRecovery.of(prober).onPathFailure(FailureReason.HEARTBEAT, nowNs);
            }
            return;
        }
        for (final @Nullable BondQueuePair qp : qps.all()) {
            final PathInUse path = qp == null ? null : PathInUse.of(qp);
            if (qp != null && lost.equals(path)) {
                QpRecovery.of(qp).onPathFailure(FailureReason.HEARTBEAT, nowNs);
            } else if (qp != null && path != null && path.isBeside(lost)) {
                qp.probe();
            }
        }
    }
}
