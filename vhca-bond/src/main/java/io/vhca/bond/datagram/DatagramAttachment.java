package io.vhca.bond.datagram;

import io.vhca.api.AddressHandle;
import io.vhca.api.QpAttrMask;
import io.vhca.api.QpAttributes;
import io.vhca.api.QpState;
import io.vhca.api.QueuePair;
import io.vhca.api.VerbsException;
import io.vhca.bond.core.BondCore;
import io.vhca.bond.failover.CompletionWatchdog;
import io.vhca.bond.member.Member;
import io.vhca.bond.member.Members;
import io.vhca.bond.placement.LinkMonitor;
import io.vhca.bond.placement.Placement;
import io.vhca.bond.wire.PhysicalWrId;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Where a vQP for datagrams lives: its one physical queue pair, on one member, or nowhere while no member is up. Moving
 * is all there is to a failover: what hardware has of the sends counts as sent, receives that were not consumed are
 * posted again in their order. Control lock.
 */
public final class DatagramAttachment {
    private static final int FOLLOWS_HEARTBEATS = 4;
    private static final long NO_HEARTBEAT_NS = 1_000_000_000L;
    /** Drivers take that much of a packet number, whatever else stands in it. */
    private static final int PSN_MASK = 0xFF_FFFF;

    private final BondDatagramQp qp;
    private final Datagrams datagrams;
    private final BondCore core;
    private final Members members;
    private final LinkMonitor monitor;
    private final Placement placement;
    private @Nullable Member member;
    private @Nullable QueuePair physical;
    /** Of the member itself, for what is sent to nobody; made when it is first used. */
    private @Nullable AddressHandle itself;

    private boolean wanted;
    /** It lives here for the sake of that peer. */
    private @Nullable DatagramName followed;

    private long followedNs;
    /** When it went to that peer, the last time and the time before. */
    private long wentNs;

    private long wentBeforeNs;
    /** The earliest peer that lives where it is reached from here, whoever of the two went to the other. */
    private @Nullable DatagramName met;

    private long metNs;
    private boolean failedOnce;
    private long failedNs;

    private final CompletionWatchdog watchdog;

    DatagramAttachment(final Datagrams datagrams, final BondDatagramQp qp) {
        this.datagrams = datagrams;
        this.qp = qp;
        core = datagrams.scope().core();
        members = datagrams.scope().members();
        monitor = datagrams.scope().monitor();
        placement = datagrams.scope().placement();
        watchdog = new CompletionWatchdog(core.config().silenceNs());
    }

    public @Nullable Member member() {
        return member;
    }

    @Nullable QueuePair physical() {
        return physical;
    }

    /** The vQP can receive from now on. */
    void settle() {
        wanted = true;
        move(choose());
    }

    /** The vQP is in ERR, in RESET or closed. */
    void leave() {
        wanted = false;
        stop();
    }

    private @Nullable Member choose() {
        final Member preferred = preferred();
        if (preferred.isEligible()) {
            return preferred;
        }
        return members.all().stream().filter(Member::isEligible).findFirst().orElse(null);
    }

    /** Modes place connections; datagrams go where one peer can meet all of a bond's queue pairs. */
    private Member preferred() {
        return monitor.active();
    }

    /** Its member does not carry traffic any more. */
    void onMemberDown(final Member down) {
        if (member == down) {
            followed = null;
            move(choose());
        }
    }

    void onMemberUp() {
        if (wanted && member == null) {
            move(choose());
        }
    }

    /** The physical queue pair failed by itself, or hardware says nothing: takes another one, at once but once. */
    void onFailure() {
        if (!wanted) {
            return;
        }
        final long nowNs = core.nowNs();
        final boolean isAgain = failedOnce && nowNs - failedNs < core.config().miimonNs();
        final Member failed = member;
        final Member other = members.all().stream()
                .filter(one -> one != failed && one.isEligible()).findFirst().orElseGet(this::choose);
        failedOnce = true;
        failedNs = nowNs;
        followed = null;
        move(isAgain ? null : other);
    }

    /**
     * Goes where a peer is met: it is reached from there only, or calls to there. But who went to one peer, and hears
     * of it still, does not leave it for a later one: that one must come. Nor does who has met an earlier one here,
     * while the later one can come: of many who meet at once, each pair would else take its own ends from the others.
     * Two who go to each other at the same moment are apart again: the earlier one does so twice, and then waits.
     *
     * @param isLast all else was tried
     * @return false where it stays, and cannot meet that peer
     */
    boolean meet(final Member at, final DatagramName peer, final boolean isLast, final long nowNs) {
        if (!wanted || !at.isEligible()) {
            return false;
        }
        if (member == at) {
            return true;
        }
        if (isBefore(followed, followedNs, peer, nowNs)
                || !isLast && (isBefore(met, metNs, peer, nowNs) || crosses(peer, nowNs))) {
            return false;
        }
        final QueuePair made = make(at);
        if (made == null) {
            return false;
        }
        wentBeforeNs = peer.equals(followed) ? wentNs : nowNs - heartbeatNs();
        wentNs = nowNs;
        followed = peer;
        followedNs = nowNs;
        moveTo(at, made);
        return true;
    }

    /** True where it went to that peer twice within a heartbeat, and the peer, which is a later one, can come. */
    private boolean crosses(final DatagramName peer, final long nowNs) {
        return peer.equals(followed)
                && nowNs - wentBeforeNs < heartbeatNs()
                && new DatagramName(core.datagramInstance(), qp.qpNum()).isBefore(peer);
    }

    private boolean isBefore(
            final @Nullable DatagramName known, final long heardNs, final DatagramName peer, final long nowNs) {
        return known != null && known.isBefore(peer) && nowNs - heardNs < FOLLOWS_HEARTBEATS * heartbeatNs();
    }

    private long heartbeatNs() {
        final long every = core.config().heartbeatNs();
        return every == 0 ? NO_HEARTBEAT_NS : every;
    }

    /** A peer was heard of; from where it lives to where this one does, or somehow. */
    void heardOf(final DatagramName peer, final boolean isHere, final long nowNs) {
        if (peer.equals(followed)) {
            followedNs = nowNs;
        }
        if (isHere && !isBefore(met, metNs, peer, nowNs)) {
            met = peer;
            metNs = nowNs;
        }
    }

    /** Goes away from a drained member, and home to the one that was chosen: as connections do. */
    void look(final long nowNs) {
        final Member now = member;
        if (now == null) {
            onMemberUp();
            return;
        }
        if (now.isDrained() || !now.isUp()) {
            final Member other = choose();
            if (other != null) {
                followed = null;
                moveToOneOf(inTurn(other, null));
            }
            return;
        }
        // Where a connection at home would live is another matter in modes that spread them.
        final Member active = monitor.active();
        final boolean isHome = monitor.chosen() == active || placement.better(0, now) == active;
        if (followed == null && isHome && active != now && active.isEligible()
                && active.isSteady(core.config().updelayNs(), nowNs)) {
            moveToOneOf(List.of(active));
        }
    }

    /**
     * Sends complete when they are on the wire: hardware that does not complete them has no wire.
     *
     * @param watchedNs how long somebody has watched: what nobody watched was not silent
     */
    void watch(final long watchedNs) {
        if (physical == null || core.config().watchdogNs() == 0) {
            watchdog.pause();
            return;
        }
        if (!watchdog.isSilent(qp.sendQueue().oldestAwaited(), watchedNs)) {
            return;
        }
        // What completed may wait for an application that does not poll.
        qp.pollIntoOwed(false);
        if (watchdog.isSilent(qp.sendQueue().oldestAwaited(), watchedNs)) {
            watchdog.barked();
            onFailure();
        }
    }

    /** Lives nowhere until {@link #resume}. */
    void pause() {
        stop();
    }

    void resume(final Member at) {
        move(at.isEligible() ? at : choose());
    }

    /**
     * Loses the first send that waits for a destination, behind those that hardware has: who sees its completion takes
     * theirs as done. Hardware may say nothing of them, as none need be signaled, and to have the last of each post
     * signaled would cost a completion a call. So it is given the lost one too, signaled, for nobody at the own member.
     *
     * @return false where hardware takes nothing: the physical queue pair is about to be left
     */
    boolean loseFirst() {
        try {
            AddressHandle to = itself;
            if (to == null) {
                final Member on = Objects.requireNonNull(member);
                to = qp.toItself(on);
                itself = to;
                core.onMember(on.name(), to, 1);
            }
            return qp.sendQueue().loseBehind(to.handle());
        } catch (final VerbsException e) {
            // No room, or the device is dying. What hardware has counts as sent once that is left.
            core.counters().ignored(e);
            qp.onPhysicalPostRefused(-e.errno());
            return false;
        }
    }

    // ---- the move ---------------------------------------------------------------------------------------------------

    /** Leaves where it is, and lives on that member, or where that has no room on another one. */
    private void move(final @Nullable Member to) {
        final Member from = member;
        depart();
        if (to != null) {
            for (final Member next : inTurn(to, from)) {
                final QueuePair made = make(next);
                if (made != null) {
                    attach(next, made);
                    break;
                }
            }
        }
        arrived(from);
    }

    /** That one, the one that was left, all others that are up. */
    private Collection<Member> inTurn(final Member to, final @Nullable Member from) {
        final Collection<Member> all = new LinkedHashSet<>();
        all.add(to);
        if (from != null && from.isEligible()) {
            all.add(from);
        }
        members.all().stream().filter(Member::isEligible).forEach(all::add);
        return all;
    }

    /** Leaves where it is for the first of them that has room, and stays while none has. */
    private void moveToOneOf(final Collection<Member> candidates) {
        for (final Member to : candidates) {
            final QueuePair made = make(to);
            if (made != null) {
                moveTo(to, made);
                return;
            }
        }
    }

    private void moveTo(final Member to, final QueuePair made) {
        final Member from = member;
        depart();
        attach(to, made);
        arrived(from);
    }

    /** Address handles are those of the member before: what waits must not go out with them. */
    private void depart() {
        stop();
        qp.routes().forget();
    }

    private void arrived(final @Nullable Member from) {
        qp.routes().onMoved(core.nowNs());
        if (member != from) {
            core.events().datagramMove(qp.qpNum(), name(from), name(member));
        }
    }

    private static String name(final @Nullable Member of) {
        return of == null ? "" : of.name();
    }

    private void stop() {
        final QueuePair old = physical;
        final Member from = member;
        qp.recvQueue().closeGate();
        qp.sendQueue().detach();
        if (old != null && from != null) {
            qp.pollIntoOwed(true);
            silence(old);
            destroy(old);
            forgetItself(from);
            qp.attachCqs(from, -1);
        }
        final long end = qp.sendQueue().settle();
        qp.recvQueue().detach();
        physical = null;
        member = null;
        met = null;
        qp.nextIncarnation();
        if (wanted) {
            qp.completeOwed(end);
        }
    }

    /**
     * What hardware still has is lost, so it need not wait for a network that is out of reach: a queue pair in ERR is
     * destroyed at once.
     */
    private void silence(final QueuePair old) {
        try {
            old.modify(new QpAttributes().qpState(QpState.ERR));
        } catch (final VerbsException e) {
            // A dead device: it takes nothing more.
            core.counters().ignored(e);
        }
    }

    private void forgetItself(final Member from) {
        final AddressHandle gone = itself;
        itself = null;
        if (gone != null) {
            core.onMember(from.name(), gone, -1);
            try {
                gone.close();
            } catch (final VerbsException e) {
                core.counters().ignoredOfDead(e);
            }
        }
    }

    private void destroy(final QueuePair old) {
        try {
            old.close();
        } catch (final VerbsException e) {
            core.counters().ignoredOfDead(e);
        }
    }

    /** A physical queue pair that can be lived on there, or null where there can be none. */
    private @Nullable QueuePair make(final Member on) {
        try {
            qp.requireWhole();
            return begun(datagrams.create(qp, on, this::destroy));
        } catch (final VerbsException e) {
            // The device has no room, or it is dying and the word of that is still on the way. Or the queue pair's
            // memory was overrun: it has noted that for its next turn, which takes it to ERR.
            core.counters().ignored(e);
            return null;
        }
    }

    private QueuePair begun(final QueuePair created) {
        try {
            final QpAttributes told = qp.settings().told();
            created.modify(new QpAttributes()
                    .qpState(QpState.INIT)
                    .pkeyIndex(told.pkeyIndex())
                    .portNum(Member.PORT)
                    .qkey(told.qkey()));
            created.modify(new QpAttributes().qpState(QpState.RTR));
            created.modify(new QpAttributes()
                    .qpState(QpState.RTS)
                    .sqPsn(told.has(QpAttrMask.SQ_PSN) ? told.sqPsn() & PSN_MASK : 0));
        } catch (final VerbsException e) {
            destroy(created);
            throw e;
        }
        return created;
    }

    private void attach(final Member to, final QueuePair made) {
        physical = made;
        member = to;
        watchdog.pause();
        qp.attachCqs(to, 1);
        qp.recvQueue().attachAndOpen(made, to.index(), qp.wrIdPrefix(PhysicalWrId.KIND_DATAGRAM_RECV));
        open();
    }

    /** Sends may go: the vQP is in RTS. */
    void open() {
        final QueuePair now = physical;
        final Member on = member;
        if (now != null && on != null && qp.state() == QpState.RTS) {
            qp.sendQueue().attachAndOpen(now, on.index(), qp.wrIdPrefix(PhysicalWrId.KIND_DATAGRAM_SEND));
        }
    }

    /** The Q_Key changed while the vQP is in use. */
    void qkey(final int value) {
        final QueuePair now = physical;
        if (now != null) {
            try {
                now.modify(new QpAttributes().qkey(value));
            } catch (final VerbsException e) {
                // It is failing: the one after it gets the new key.
                core.counters().ignored(e);
            }
        }
    }
}
