package io.vhca.bond.failover;

import io.vhca.bond.core.BondCore;
import io.vhca.bond.core.DutyCycle;
import io.vhca.bond.core.EarliestDeadline;
import io.vhca.bond.core.RewindPolicy;
import io.vhca.bond.link.CloseNotices;
import io.vhca.bond.link.ConnectTurns;
import io.vhca.bond.link.Links;
import io.vhca.bond.link.PathPreference;
import io.vhca.bond.link.Peers;
import io.vhca.bond.link.RecoveryPort;
import io.vhca.bond.link.Sessions;
import io.vhca.bond.member.MemberObserver;
import io.vhca.bond.member.Members;
import io.vhca.bond.verbs.BondQueuePair;
import io.vhca.bond.verbs.QpTable;
import io.vhca.recovery.RecoveryMachine;
import io.vhca.recovery.RecoveryState;
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
    /** Asked at once by words that stand in a few messages: answered in a small part of the time of a path. */
    private static final int MOST_ASKED = 256;
    /** Between two looks at all that are under way, for each of them: a look at many takes its time. */
    private static final long LOOK_NS = 1_000;

    private final Scope scope;
    private final SendDrains drains;
    private final MemberNews memberNews = new MemberNews(this);
    private final Standbys standbys;
    private final ConnectTurns asking = new ConnectTurns(MOST_ASKED);
    private final Set<QpRecovery> busy = new LinkedHashSet<>();
    private long tokens;
    private long lookedNs;
    /** In the last turn it was too early for a look, and there may have been something to see. */
    private boolean isLookPutOff;

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
            QpTable qps) {
        /** Where the bond of a vQPN listens for recoveries. */
        int portOf(final int qpNum) {
            return port.of(qpNum);
        }
    }

    public Recoveries(final Scope scope) {
        this.scope = scope;
        drains = new SendDrains(scope.core());
        standbys = new Standbys(this);
        scope.members().roomMaker(standbys::giveWay);
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

    /** Whether any connection of the bond is being made. */
    boolean isAnyPending() {
        return scope.links().isAnyPending();
    }

    /** Whether any vQP recovers now. */
    boolean isAnyUnderWay() {
        return !busy.isEmpty();
    }

    /** How often bonds have said what their members are. */
    int tellings() {
        return scope.peers().tellings();
    }

    /** What stands by for a vQP that is being created. */
    Standby standby(final QpRecovery recovery, final BondQueuePair qp) {
        return standbys.create(recovery, qp);
    }

    /** In which recoveries ask over what stands by: a peer is not asked more than it answers in time. */
    ConnectTurns asking() {
        return asking;
    }

    /** What stands by for the vQPs. */
    Standbys standbys() {
        return standbys;
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
        return !scope.closeNotices().isEmpty() || busy.stream().anyMatch(Recoveries::isClosing);
    }

    private static boolean isClosing(final QpRecovery recovery) {
        final RecoveryMachine machine = recovery.machineOrNull();
        return machine != null && machine.state() == RecoveryState.CLOSING;
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

    @Override
    public int doWork(final long nowNs) {
        assert scope.core().holdsLock();
        int count = standbys.doWork(nowNs) + asking.doWork(nowNs);
        isLookPutOff = !busy.isEmpty() && nowNs - nextLookNs() < 0;
        if (!isLookPutOff) {
            lookedNs = nowNs;
            for (final QpRecovery recovery : List.copyOf(busy)) {
                recovery.tryDrain();
                count += recovery.doTimers(nowNs);
            }
        }
        standbys.flush();
        return count;
    }

    /** When those that are under way are looked at next, drained or late: the more they are, the rarer. */
    private long nextLookNs() {
        return lookedNs + busy.size() * LOOK_NS;
    }

    @Override
    public long nextDeadlineNs() {
        assert scope.core().holdsLock();
        final EarliestDeadline next = new EarliestDeadline();
        for (final QpRecovery recovery : busy) {
            next.add(recovery.nextDeadlineNs());
        }
        if (isLookPutOff && !busy.isEmpty()) {
            next.add(nextLookNs());
        }
        return next.notBefore(nextLookNs()).add(standbys.nextDeadlineNs()).atNs();
    }

    // ---- members ----------------------------------------------------------------------------------------------------

    /** What all recoveries do when a member changes. */
    public MemberObserver memberNews() {
        return memberNews;
    }

    /** The recovery of a vQP by its number, or null. */
    @Nullable QpRecovery find(final int qpNum) {
        final BondQueuePair qp = scope.qps().byNum(qpNum);
        return qp == null ? null : QpRecovery.of(qp);
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
