package io.vhca.bond;

import io.vhca.api.AsyncEvent;
import io.vhca.api.AsyncEventType;
import io.vhca.api.VerbsException;
import io.vhca.api.cm.CmEvent;
import io.vhca.api.cm.CmEventType;
import io.vhca.api.cm.CmId;
import io.vhca.api.cm.ConnectParameters;
import io.vhca.bond.core.BondCore;
import io.vhca.bond.core.DutyCycle;
import io.vhca.bond.datagram.Datagrams;
import io.vhca.bond.failover.QpRecovery;
import io.vhca.bond.link.Links;
import io.vhca.bond.link.MemberListeners;
import io.vhca.bond.link.PathLink;
import io.vhca.bond.member.Member;
import io.vhca.bond.member.Members;
import io.vhca.bond.placement.LinkMonitor;
import io.vhca.bond.placement.MemberLife;
import io.vhca.bond.verbs.BondCompletionQueue;
import io.vhca.bond.verbs.BondQueuePair;
import io.vhca.bond.verbs.QpTable;
import io.vhca.bond.wire.PhysicalWrId;
import io.vhca.recovery.wire.FailureReason;
import java.util.ArrayDeque;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/**
 * Takes the CM events and the asynchronous events of all members, and passes each on to whom it concerns. Control lock.
 */
final class MemberEvents implements DutyCycle {
    private static final int EVENTS_A_TURN = 64;
    /** After so many without an event the bond's thread pauses long, and is to be woken by the next one. */
    private static final int QUIET_TURNS = 4;

    private final BondCore core;
    private final Members members;
    private final Links links;
    private final QpTable qps;
    private final Datagrams datagrams;
    private final LinkMonitor monitor;
    private final MemberLife life;
    private final Queue<Request> requests = new ArrayDeque<>();
    private int quietTurns;

    /**
     * A REQ that arrived in this turn. It is judged behind all that the members tell: who recovers a connection over
     * one member was told over another that it stands, and this end hears of that over the other as well.
     */
    private record Request(PathLink link, @Nullable CmId listener, byte[] data, ConnectParameters parameters) {}

    MemberEvents(
            final BondCore core,
            final Members members,
            final Links links,
            final QpTable qps,
            final Datagrams datagrams,
            final LinkMonitor monitor,
            final MemberLife life) {
        this.core = core;
        this.members = members;
        this.links = links;
        this.qps = qps;
        this.datagrams = datagrams;
        this.monitor = monitor;
        this.life = life;
    }

    @Override
    public int doWork(final long nowNs) {
        int count = 0;
        for (final Member member : members.all()) {
            if (life.isOpen(member)) {
                count += eventsOf(member, nowNs);
            }
        }
        for (Request request = requests.poll(); request != null; request = requests.poll()) {
            handle(request, nowNs);
        }
        quietTurns = count > 0 ? 0 : Math.min(quietTurns + 1, QUIET_TURNS);
        if (quietTurns >= QUIET_TURNS) {
            for (final Member member : members.all()) {
                if (life.isOpen(member)) {
                    members.listenAgain(member);
                }
            }
        }
        return count;
    }

    /** Members wake the bond's thread, see {@link Members#listen}; where one does not it looks often enough. */
    @Override
    public long nextDeadlineNs() {
        return Long.MAX_VALUE;
    }

    private int eventsOf(final Member member, final long nowNs) {
        try {
            return cmEvents(member, nowNs) + asyncEvents(member, nowNs);
        } catch (final VerbsException e) {
            // A device that cannot even tell what happened to it must not stop the others.
            core.counters().ignored(e);
            return 0;
        }
    }

    private int cmEvents(final Member member, final long nowNs) {
        int count = 0;
        CmEvent event;
        while (count < EVENTS_A_TURN && (event = member.cm().getEvent(0)) != null) {
            count++;
            if (event.type() == CmEventType.CONNECT_REQUEST) {
                requests.add(new Request(
                        links.requested(member, event.id()), event.listenId(), event.privateData(),
                        event.parameters()));
            } else {
                final PathLink link = links.find(event.id());
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
        member.hasEventsLeft(count == EVENTS_A_TURN);
        return count;
    }

    private void handle(final Request request, final long nowNs) {
        try {
            pass(request, nowNs);
        } catch (final VerbsException e) {
            // A member that could not do what one of them needs must not be in the way of the others.
            core.counters().ignored(e);
            if (request.link.state() == PathLink.State.REQUESTED) {
                request.link.close();
            }
        }
    }

    private static void pass(final Request request, final long nowNs) {
        final PathLink link = request.link;
        if (link.state() == PathLink.State.REQUESTED
                && request.listener != null
                && request.listener.idContext() instanceof MemberListeners.Target target) {
            link.asked(request.data);
            target.onConnectRequest(link, request.data, request.parameters, nowNs);
        } else {
            link.close();
        }
    }

    private int asyncEvents(final Member member, final long nowNs) {
        int count = 0;
        AsyncEvent event;
        while (count < EVENTS_A_TURN && (event = member.context().getAsyncEvent(0)) != null) {
            count++;
            handle(member, event, nowNs);
            member.context().ackAsyncEvent(event);
        }
        return count;
    }

    private void handle(final Member member, final AsyncEvent event, final long nowNs) {
        if (event.portNum() != 0 && event.portNum() != Member.PORT) {
            return; // of another port of the adapter, which is no member's
        }
        switch (event.type()) {
            case PORT_ERR -> monitor.down(member, FailureReason.PORT_ERR, nowNs);
            case PORT_ACTIVE -> monitor.up(member, nowNs);
            case DEVICE_FATAL -> monitor.died(member, FailureReason.DEVICE_FATAL, nowNs);
            case GID_CHANGE -> monitor.addressChanged(member, nowNs);
            case QP_FATAL, QP_REQ_ERR, QP_ACCESS_ERR -> physicalQpError(member, event, nowNs);
            case QP_LAST_WQE_REACHED -> {
                member.tellsLastWqe(true);
                final BondQueuePair qp = userOf(event);
                if (qp != null) {
                    qp.own().onBack(PhysicalWrId.KIND_RECV_MARKER);
                }
            }
            case CQ_ERR -> {
                if (event.cq() != null
                        && event.cq().cqContext() instanceof BondCompletionQueue cq
                        && !cq.isClosed()) {
                    core.raise(AsyncEvent.ofCq(AsyncEventType.CQ_ERR, cq));
                }
            }
            default -> {
                // Concerns the member's objects, not the virtual ones.
            }
        }
    }

    private void physicalQpError(final Member member, final AsyncEvent event, final long nowNs) {
        final BondQueuePair qp = userOf(event);
        if (qp == null) {
            datagrams.onPhysicalQpError(event.qp());
            return;
        }
        if (event.type() == AsyncEventType.QP_FATAL && !monitor.isPortActiveNow(member)) {
            // The device took its queue pair down together with its port: no doing of the application's.
            QpRecovery.of(qp).onPathFailure(FailureReason.LOCAL_QP_ERROR, nowNs);
        } else {
            QpRecovery.of(qp).onPhysicalQpError(event.type(), nowNs);
        }
    }

    /** The vQP that uses the physical QP of an event now, or null. */
    private @Nullable BondQueuePair userOf(final AsyncEvent event) {
        for (final BondQueuePair qp : qps.all()) {
            if (qp != null && event.qp() != null && qp.lifecycle().attachment().physical() == event.qp()) {
                return qp;
            }
        }
        return null;
    }
}
