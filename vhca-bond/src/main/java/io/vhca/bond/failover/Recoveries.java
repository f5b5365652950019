package io.vhca.bond.failover;

import io.vhca.bond.core.BondCore;
import io.vhca.bond.core.BondCounters;
import io.vhca.bond.core.DutyCycle;
import io.vhca.bond.core.EarliestDeadline;
import io.vhca.bond.core.RewindPolicy;
import io.vhca.bond.link.CloseNotices;
import io.vhca.bond.link.ConnectTurns;
import io.vhca.bond.link.Links;
import io.vhca.bond.link.PathLink;
import io.vhca.bond.link.PathPreference;
import io.vhca.bond.link.Peers;
import io.vhca.bond.link.RecoveryPort;
import io.vhca.bond.link.Sessions;
import io.vhca.bond.member.MemberObserver;
import io.vhca.bond.member.Members;
import io.vhca.bond.verbs.BondQueuePair;
import io.vhca.bond.verbs.QpTable;
import io.vhca.recovery.wire.RejectCode;
import io.vhca.recovery.wire.RejectRecord;
import io.vhca.recovery.wire.SessionId;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The recoveries of all vQPs of a bond: creates them, gives those that are under way their turns, and tells all of them
 * what changes about members. Control lock.
 */
public final class Recoveries implements DutyCycle {
    private final Scope scope;
    private final SendDrains drains;
    private final MemberNews memberNews = new MemberNews(this);
    private final Set<QpRecovery> busy = new LinkedHashSet<>();
    private long tokens;

    /** What recoveries are made of; each takes from it what it needs when it is created. */
    public record Scope(
            BondCore core,
            Members members,
            Links links,
            ConnectTurns turns,
            CloseNotices closeNotices,
            Sessions sessions,
            Peers peers,
            RecoveryPort port,
            PathPreference preference,
            RewindPolicy rewindPolicy,
            PeerContact contact,
            QpTable qps) {}

    public Recoveries(final Scope scope) {
        this.scope = scope;
        drains = new SendDrains(scope.core());
        scope.qps().onRemoved(qp -> {
            idle(QpRecovery.of(qp));
            drains.end(qp);
        });
    }

    /** What connects and recovers a vQP that is being created. */
    public QpRecovery create(final BondQueuePair qp) {
        assert scope.core().holdsLock();
        return new QpRecovery(this, qp);
    }

    Scope scope() {
        return scope;
    }

    /** vQPs that are going to SQD. */
    public SendDrains drains() {
        return drains;
    }

    void beginSendDrain(final BondQueuePair qp, final boolean isNotified) {
        drains.begin(qp, isNotified);
    }

    void endSendDrain(final BondQueuePair qp) {
        drains.end(qp);
    }

    /** A recovery is on: it needs turns. */
    void busy(final QpRecovery recovery) {
        assert scope.core().holdsLock();
        busy.add(recovery);
    }

    void idle(final QpRecovery recovery) {
        assert scope.core().holdsLock();
        busy.remove(recovery);
    }

    /** True while a peer has not been told yet that its connection is over. */
    public boolean isSayingGoodbye() {
        assert scope.core().holdsLock();
        return !scope.closeNotices().isEmpty() || busy.stream().anyMatch(QpRecovery::isClosing);
    }

    /** The process ends: every connection is closed, as its application would. */
    public void sayGoodbye(final long nowNs) {
        forEach(recovery -> {
            if (recovery.session() != null || recovery.isAlive()) {
                recovery.onApplicationClose(nowNs);
            }
        });
    }

    /** Names a REQ that a recovery machine has not judged yet. */
    long nextToken() {
        return ++tokens;
    }

    /** Nobody here is to be connected to that peer now; it may ask again. */
    public void refuseUnknown(final PathLink link, final SessionId session) {
        scope.core().counters().add(BondCounters.Counter.REQ_UNKNOWN_SESSION, 1);
        link.reject(new RejectRecord(RejectCode.UNKNOWN_SESSION, session, 0).encode());
    }

    /** Who asks is not whom it says. */
    void refuseForged(final PathLink link, final SessionId session) {
        scope.core().counters().refused(BondCounters.Counter.REQ_FORGED, link.remote());
        link.reject(new RejectRecord(RejectCode.BAD_SESSION, session, 0).encode());
    }

    /** Who asks shows what it must, and is not where the peer's members are; it may ask again, from there. */
    void refuseNotNamed(final PathLink link, final SessionId session) {
        scope.core().counters().refused(BondCounters.Counter.REQ_NOT_NAMED, link.remote());
        link.reject(new RejectRecord(RejectCode.NO_RESOURCES, session, 0).encode());
    }

    @Override
    public int doWork(final long nowNs) {
        assert scope.core().holdsLock();
        if (busy.isEmpty()) {
            return 0;
        }
        int count = 0;
        for (final QpRecovery recovery : List.copyOf(busy)) {
            recovery.tryDrain();
            count += recovery.doTimers(nowNs);
        }
        return count;
    }

    @Override
    public long nextDeadlineNs() {
        assert scope.core().holdsLock();
        final EarliestDeadline next = new EarliestDeadline();
        for (final QpRecovery recovery : busy) {
            next.add(recovery.nextDeadlineNs());
        }
        return next.atNs();
    }

    // ---- members ----------------------------------------------------------------------------------------------------

    /** What all recoveries do when a member changes. */
    public MemberObserver memberNews() {
        return memberNews;
    }

    void forEach(final Consumer<QpRecovery> action) {
        assert scope.core().holdsLock();
        for (final @Nullable BondQueuePair qp : scope.qps().all()) {
            if (qp != null) {
                action.accept(QpRecovery.of(qp));
            }
        }
    }
}
