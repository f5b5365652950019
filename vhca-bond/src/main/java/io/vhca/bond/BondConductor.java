package io.vhca.bond;

import io.vhca.api.AsyncEvent;
import io.vhca.api.AsyncEventType;
import io.vhca.api.VerbsException;
import io.vhca.api.cm.CmEvent;
import io.vhca.api.cm.CmEventType;
import io.vhca.bond.cm.FirstAccept;
import io.vhca.bond.control.Confirmations;
import io.vhca.bond.control.ControlActivity;
import io.vhca.bond.control.EmulatedAtomics;
import io.vhca.bond.core.BondObserver;
import io.vhca.bond.core.EarliestDeadline;
import io.vhca.bond.failover.MemberUpWaiters;
import io.vhca.bond.failover.QpRecovery;
import io.vhca.bond.failover.SendDrains;
import io.vhca.bond.failover.SilenceMonitor;
import io.vhca.bond.link.CloseNotice;
import io.vhca.bond.link.ConnectTurns;
import io.vhca.bond.link.DiscardingOwner;
import io.vhca.bond.link.MemberListeners;
import io.vhca.bond.link.PathLink;
import io.vhca.bond.member.Member;
import io.vhca.bond.placement.LinkMonitor;
import io.vhca.bond.placement.LoadSampler;
import io.vhca.bond.placement.MemberLife;
import io.vhca.bond.placement.Placement;
import io.vhca.bond.placement.PlannedMoves;
import io.vhca.bond.verbs.BondCompletionQueue;
import io.vhca.bond.verbs.BondQueuePair;
import io.vhca.bond.wire.PhysicalWrId;
import io.vhca.recovery.FailureReason;
import io.vhca.recovery.MemberAddress;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import org.agrona.concurrent.NanoClock;
import org.jspecify.annotations.Nullable;

/** The duty cycle of a bond. Control lock; see {@link BondContext#doWork}. */
public final class BondConductor {
    private static final int EVENTS_A_TURN = 64;

    private final BondContext context;
    private final LinkMonitor monitor;
    private final Placement placement;
    private final PlannedMoves relocation;
    private final LoadSampler loads;
    private final SilenceMonitor vigil;
    private final SendDrains drains;
    private final EmulatedAtomics atomics;
    private final Confirmations confirmations;
    private final MemberUpWaiters memberWaits;
    private final MemberLife life;
    private final ControlActivity talk = new ControlActivity();
    private final ArrayDeque<TimedAction> actions = new ArrayDeque<>();
    private final Set<QpRecovery> busy = new LinkedHashSet<>();
    private final Set<PathLink> pending = new LinkedHashSet<>();
    private final ConnectTurns turns = new ConnectTurns();
    private final List<Waiting> waiting = new ArrayList<>();
    private final Set<CloseNotice> farewells = new LinkedHashSet<>();
    private @Nullable BondObserver observer;
    private NanoClock stageClock = this::nowNs;
    private long nowNs;
    private long tokens;

    /** Something that needs the time, put off to the next turn. */
    public interface TimedAction {
        void run(long nowNs);
    }

    /** A passive connect whose answer was not confirmed; the peer may ask again until the deadline. */
    private record Waiting(FirstAccept accept, long deadlineNs) {}

    BondConductor(final BondContext context) {
        this.context = context;
        placement = new Placement(context);
        relocation = new PlannedMoves(context);
        monitor = new LinkMonitor(context);
        loads = new LoadSampler(context);
        vigil = new SilenceMonitor(context);
        drains = new SendDrains(context);
        atomics = new EmulatedAtomics(context);
        confirmations = new Confirmations(context);
        memberWaits = new MemberUpWaiters(context);
        life = new MemberLife(context, context.seats().source());
    }

    /** What becomes of members whose device died. */
    public MemberLife life() {
        return life;
    }

    public LinkMonitor monitor() {
        return monitor;
    }

    public LoadSampler loads() {
        return loads;
    }

    public SilenceMonitor vigil() {
        return vigil;
    }

    public Placement placement() {
        return placement;
    }

    public PlannedMoves relocation() {
        return relocation;
    }

    public Confirmations confirmations() {
        return confirmations;
    }

    public MemberUpWaiters memberWaits() {
        return memberWaits;
    }

    public ConnectTurns turns() {
        return turns;
    }

    public EmulatedAtomics atomics() {
        return atomics;
    }

    public SendDrains drains() {
        return drains;
    }

    /** The time of the present turn, or of the last one. */
    public long nowNs() {
        return nowNs;
    }

    /**
     * The clock by which the stages of a recovery are told apart, several of which may fall into one turn. The time of
     * the turn unless set: under hand-driven time nothing else is deterministic.
     */
    public NanoClock stageClock() {
        return stageClock;
    }

    public void stageClock(final NanoClock clock) {
        stageClock = clock;
    }

    /** What the bonds say to each other while applications wait. */
    public ControlActivity talk() {
        return talk;
    }

    int doWork(final long now) {
        nowNs = now;
        int work = 0;
        work += runActions();
        work += life.doWork(now);
        work += context.seats().doWork(now);
        work += monitor.doWork(now);
        for (final Member member : context.members()) {
            if (life.isOpen(member)) {
                work += eventsOf(member);
            }
        }
        work += vigil.doWork(now);
        work += drains.doWork(now);
        work += context.shared().doWork(now);
        work += context.datagrams().doWork(now);
        work += notes();
        work += atomics.doWork(now);
        work += confirmations.doWork(now);
        work += memberWaits.doWork(now);
        work += recoveries();
        work += deadlines();
        work += turns.doWork();
        work += context.controlPlane().doWork(nowNs);
        work += loads.doWork(nowNs);
        work += relocation.doWork(nowNs);
        if (observer != null) {
            observer.onTurn(now);
        }
        return work;
    }

    void observe(final BondObserver next) {
        close();
        observer = next;
        context.counters().observer(next);
    }

    /** Nobody looks on any more. */
    void close() {
        if (observer != null) {
            observer.close();
            observer = null;
        }
    }

    /** Runs the action at the next turn. */
    public void later(final TimedAction action) {
        actions.add(action);
        context.wakeUp();
    }

    private int runActions() {
        int count = 0;
        for (TimedAction action = actions.poll(); action != null; action = actions.poll()) {
            action.run(nowNs);
            count++;
        }
        return count;
    }

    private int eventsOf(final Member member) {
        try {
            return cmEvents(member) + asyncEvents(member);
        } catch (final VerbsException e) {
            // A device that cannot even tell what happened to it must not stop the others.
            context.counters().ignored(e);
            return 0;
        }
    }

    private int cmEvents(final Member member) {
        int count = 0;
        CmEvent event;
        while (count < EVENTS_A_TURN && (event = member.cm().getEvent(0)) != null) {
            count++;
            if (event.type() == CmEventType.CONNECT_REQUEST) {
                request(member, event);
            } else {
                final PathLink link = context.links().get(event.id());
                if (link != null) {
                    link.onEvent(event, nowNs);
                }
                if (event.type() == CmEventType.DEVICE_REMOVAL) {
                    // Each id gets one, listeners too, and it may be the only word that comes.
                    monitor.died(member, FailureReason.DEVICE_REMOVAL, nowNs);
                }
            }
            event.ack();
        }
        return count;
    }

    private void request(final Member member, final CmEvent event) {
        final PathLink link = new PathLink(context, DiscardingOwner.INSTANCE, member, event.id(), 0, nowNs);
        if (event.listenId() != null && event.listenId().idContext() instanceof MemberListeners.Target target) {
            target.onConnectRequest(link, event.privateData(), event.parameters(), nowNs);
        } else {
            link.close();
        }
    }

    private int asyncEvents(final Member member) {
        int count = 0;
        AsyncEvent event;
        while (count < EVENTS_A_TURN && (event = member.context().getAsyncEvent(0)) != null) {
            count++;
            handle(member, event);
            member.context().ackAsyncEvent(event);
        }
        return count;
    }

    private void handle(final Member member, final AsyncEvent event) {
        switch (event.type()) {
            case PORT_ERR -> monitor.down(member, FailureReason.PORT_ERR, nowNs);
            case PORT_ACTIVE -> monitor.up(member, nowNs);
            case DEVICE_FATAL -> monitor.died(member, FailureReason.DEVICE_FATAL, nowNs);
            case GID_CHANGE -> monitor.addressChanged(member, nowNs);
            case QP_FATAL, QP_REQ_ERR, QP_ACCESS_ERR -> physicalQpError(member, event);
            case QP_LAST_WQE_REACHED -> {
                member.tellsLastWqe(true);
                final BondQueuePair qp = userOf(event);
                if (qp != null) {
                    qp.onOwnCompletion(PhysicalWrId.KIND_RECV_MARKER);
                }
            }
            case CQ_ERR -> {
                if (event.cq() != null && event.cq().cqContext() instanceof BondCompletionQueue cq) {
                    context.raise(AsyncEvent.ofCq(AsyncEventType.CQ_ERR, cq));
                }
            }
            default -> {
                // Concerns the member's objects, not the virtual ones.
            }
        }
    }

    private void physicalQpError(final Member member, final AsyncEvent event) {
        final BondQueuePair qp = userOf(event);
        if (qp == null) {
            context.datagrams().onPhysicalQpError(event.qp());
            return;
        }
        if (event.type() == AsyncEventType.QP_FATAL && !monitor.isPortActiveNow(member)) {
            // The device took its queue pair down together with its port: no doing of the application's.
            qp.recovery().onPathFailure(FailureReason.LOCAL_QP_ERROR, nowNs);
        } else {
            qp.recovery().onPhysicalQpError(event.type(), nowNs);
        }
    }

    /** The vQP that uses the physical QP of an event now, or null. */
    private @Nullable BondQueuePair userOf(final AsyncEvent event) {
        for (final BondQueuePair qp : context.qps().all()) {
            if (qp != null && event.qp() != null && qp.recovery().attachment().physical() == event.qp()) {
                return qp;
            }
        }
        return null;
    }

    private int notes() {
        int count = 0;
        for (BondQueuePair qp = context.attentionQueue().poll(); qp != null; qp = context.attentionQueue().poll()) {
            qp.notes().handle(qp.takeNotes(), nowNs);
            count++;
        }
        return count;
    }

    private int recoveries() {
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

    private int deadlines() {
        int count = 0;
        if (!pending.isEmpty()) {
            for (final PathLink link : List.copyOf(pending)) {
                count += link.checkDeadline(nowNs) ? 1 : 0;
            }
            pending.removeIf(link -> !link.isPending());
        }
        for (final Waiting one : List.copyOf(waiting)) {
            if (nowNs - one.deadlineNs >= 0) {
                waiting.remove(one);
                one.accept.giveUp();
                count++;
            }
        }
        return count;
    }

    /** When the next turn is due at the latest. */
    long nextDeadlineNs() {
        if (!actions.isEmpty() || !context.attentionQueue().isEmpty()) {
            return nowNs;
        }
        final EarliestDeadline next = new EarliestDeadline();
        next.add(monitor.nextDeadlineNs())
                .add(life.nextDeadlineNs())
                .add(relocation.nextDeadlineNs())
                .add(loads.nextDeadlineNs())
                .add(vigil.nextDeadlineNs())
                .add(drains.nextDeadlineNs())
                .add(atomics.nextDeadlineNs())
                .add(confirmations.nextDeadlineNs())
                .add(memberWaits.nextDeadlineNs())
                .add(context.shared().nextDeadlineNs())
                .add(context.datagrams().nextDeadlineNs())
                .add(context.controlPlane().nextDeadlineNs());
        for (final QpRecovery recovery : busy) {
            next.add(recovery.nextDeadlineNs());
        }
        for (final PathLink link : pending) {
            next.add(link.isPending() ? link.deadlineNs() : Long.MAX_VALUE);
        }
        for (final Waiting one : waiting) {
            next.add(one.deadlineNs);
        }
        return next.atNs();
    }

    /** A link awaits something from the network. */
    public void watch(final PathLink link) {
        pending.add(link);
    }

    /** A recovery is on: it needs turns. */
    public void busy(final QpRecovery recovery) {
        busy.add(recovery);
    }

    public void idle(final QpRecovery recovery) {
        busy.remove(recovery);
    }

    /** True while a connection is saying good-bye to its peer. */
    boolean isSayingGoodbye() {
        return !farewells.isEmpty() || !actions.isEmpty() || busy.stream().anyMatch(QpRecovery::isClosing);
    }

    public Set<CloseNotice> farewells() {
        return farewells;
    }

    public void giveUpLater(final FirstAccept accept, final long deadlineNs) {
        waiting.add(new Waiting(accept, deadlineNs));
    }

    /** Names a REQ that a recovery machine has not judged yet. */
    public long nextToken() {
        return ++tokens;
    }

    /** What this bond tells its peers of its members. */
    public List<MemberAddress> memberAddresses(final Predicate<Member> which) {
        final List<MemberAddress> list = new ArrayList<>();
        for (final Member member : context.members()) {
            if (which.test(member)) {
                list.add(new MemberAddress(member.index(), member.address().getAddress()));
            }
        }
        return list;
    }

    void forget(final BondQueuePair qp) {
        busy.remove(qp.recovery());
        drains.end(qp);
        atomics.end(qp);
        confirmations.end(qp);
    }
}
