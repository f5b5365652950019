package io.vhca.bond.control;

import io.vhca.api.NativeMemory;
import io.vhca.api.VerbsException;
import io.vhca.api.WcDescriptor;
import io.vhca.api.cm.CmEvent;
import io.vhca.api.cm.CmPortSpace;
import io.vhca.bond.cm.BondCmId;
import io.vhca.bond.cm.BondEventChannel;
import io.vhca.bond.cm.CmScope;
import io.vhca.bond.core.BondCore;
import io.vhca.bond.core.BondCounters.Counter;
import io.vhca.bond.core.DutyCycle;
import io.vhca.bond.core.EarliestDeadline;
import io.vhca.bond.core.RewindPolicy;
import io.vhca.bond.failover.QpRecovery;
import io.vhca.bond.link.PathLink;
import io.vhca.bond.link.Peer;
import io.vhca.bond.member.MemberObserver;
import io.vhca.bond.verbs.BondCompletionQueue;
import io.vhca.bond.verbs.BondProtectionDomain;
import io.vhca.bond.verbs.BondQueuePair;
import io.vhca.bond.verbs.VerbsScope;
import io.vhca.recovery.wire.ConnectHeader;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The bond's own connections to its peers, each a vQP that recovers like any other. A bond opens one to every peer that
 * it connected to first or whose keys it needs, and answers on those that peers open. Control lock.
 */
public final class ControlPlane implements DutyCycle, MemberObserver, AutoCloseable {
    private static final int CQE = 256;
    private static final int BATCH = 16;
    /** Of one's own and of the peer's, and some that broke a short time ago and do not know it yet. */
    private static final int MOST_OF_A_PEER = 8;

    private final BondCore core;
    private final VerbsScope verbs;
    private final CmScope cm;
    private final ControlActivity activity;
    private final EmulatedAtomics atomics;
    private final Confirmations confirmations;
    private final List<ControlLink> links = new ArrayList<>();
    private final Map<Peer, ControlLink> byPeer = new HashMap<>();
    /** Those that could not be given a link, and are to be met, or wait for a key. */
    private final Set<BondQueuePair> unmet = new LinkedHashSet<>();
    private final Set<BondQueuePair> unresolved = new LinkedHashSet<>();
    private long failedNs;
    private @Nullable Shared shared;
    private boolean closed;

    /** What all links use; made when the first one is. */
    private record Shared(BondEventChannel channel, BondProtectionDomain pd, BondCompletionQueue cq) {}

    /**
     * As yet without a link.
     *
     * @param rewindPolicy another than the true one only in tests that break it
     * @param activity     is told when the bonds speak of what applications wait for
     */
    public ControlPlane(
            final VerbsScope verbs,
            final CmScope cm,
            final RewindPolicy rewindPolicy,
            final ControlActivity activity) {
        this.verbs = verbs;
        this.cm = cm;
        this.activity = activity;
        core = verbs.core();
        atomics = new EmulatedAtomics(core, verbs.keys(), rewindPolicy, this);
        confirmations = new Confirmations(core, this);
        verbs.keys().onChange(this::revoke);
        verbs.qps().onRemoved(this::forget);
        verbs.qps().onReset(this::forget);
    }

    /** Atomics that the peers' bonds execute. */
    public EmulatedAtomics atomics() {
        return atomics;
    }

    /** Completions that wait for the peers' word. */
    public Confirmations confirmations() {
        return confirmations;
    }

    /** What links are made of. */
    VerbsScope verbs() {
        return verbs;
    }

    ControlActivity activity() {
        return activity;
    }

    /** Throws as a member says; then nothing is left, and the next call tries again. */
    private Shared shared() {
        Shared own = shared;
        if (own == null) {
            final BondProtectionDomain pd = new BondProtectionDomain(verbs);
            final BondCompletionQueue cq;
            try {
                cq = BondCompletionQueue.waking(
                        verbs, Math.min(CQE, verbs.limits().attributes().maxCqe()));
            } catch (final VerbsException e) {
                pd.close();
                throw e;
            }
            own = new Shared(new BondEventChannel(cm), pd, cq);
            shared = own;
        }
        return own;
    }

    /** Opens the link to a vQP's peer, where there is none: both sides learn each other's members by it. */
    public void meet(final BondQueuePair qp) {
        final ControlLink link = linkOf(qp);
        if (link == null) {
            tryLater(unmet, qp);
        } else {
            link.show(qp);
        }
    }

    private @Nullable ControlLink open(
            final Peer peer, final List<InetAddress> addresses, final int port, final @Nullable PathLink like) {
        assert core.holdsLock();
        final ControlLink known = byPeer.get(peer);
        if (known != null || closed || addresses.isEmpty()) {
            if (known != null && like != null && like.state() == PathLink.State.ESTABLISHED) {
                known.id().prefer(like, core.nowNs());
            }
            return known;
        }
        BondCmId id = null;
        try {
            final Shared own = shared();
            id = (BondCmId) own.channel.createId(CmPortSpace.TCP, null);
            final ControlLink link = new ControlLink(this, id, peer, own.pd, own.cq);
            id.connectControl(List.copyOf(addresses), port, like, ControlLink.PARAMETERS);
            byPeer.put(peer, link);
            links.add(link);
            return link;
        } catch (final VerbsException e) {
            core.counters().ignored(e);
            if (id != null) {
                id.close();
            }
            return null;
        }
    }

    /**
     * A peer opens a link. Who is no member of one gets none, and nothing is made for it; a peer has a few at most, of
     * which those give way that were never established.
     *
     * @return null, or why it is refused
     * @throws VerbsException where a member has no room for it; then nothing is left, and the peer may ask again
     */
    public @Nullable Counter onConnect(final PathLink request, final ConnectHeader header, final long nowNs) {
        assert core.holdsLock();
        final Peer peer = closed ? null : cm.peers().asking(header.session().hi(), request.remote(), core.hasKey());
        if (peer == null) {
            return Counter.REQ_STRANGER;
        }
        final BondCmId known = cm.accepts().find(request.sessionOf(header.session()));
        if (known != null) {
            known.repeated(request, header, nowNs);
            return null;
        }
        if (!makeRoom(peer)) {
            return Counter.REQ_REPEATED;
        }
        final Shared own = shared();
        final BondCmId id = BondCmId.requested(own.channel, null, request, header, ControlLink.PARAMETERS);
        try {
            links.add(new ControlLink(this, id, peer, own.pd, own.cq));
            id.accept(ControlLink.PARAMETERS);
        } catch (final VerbsException e) {
            id.giveWay();
            throw e;
        }
        return null;
    }

    /** False where a peer has as many links as it may have, and all of them stand. */
    private boolean makeRoom(final Peer peer) {
        final List<ControlLink> its = links.stream().filter(link -> link.goesTo(peer)).toList();
        if (its.size() < MOST_OF_A_PEER) {
            return true;
        }
        for (final ControlLink link : its) {
            if (!link.isEstablished() && !byPeer.containsValue(link)) {
                drop(link);
                return true;
            }
        }
        return false;
    }

    /** Asks the peer for a key; the vQP's sends go on when it is known. */
    public void resolve(final BondQueuePair qp) {
        assert core.holdsLock();
        final ControlLink link = linkOf(qp);
        if (link == null) {
            tryLater(unresolved, qp);
            return;
        }
        if (qp.ledger().awaitsWord()) {
            link.calls().askWord(qp);
        } else {
            final int ofWord = qp.ledger().missingKey(QpRecovery.of(qp).attachment().keys());
            link.ask(qp, ofWord != 0 ? ofWord : qp.notes().missingKey());
        }
    }

    /** No link could be opened, as when a member had no memory: nothing else would ask again. */
    private void tryLater(final Set<BondQueuePair> which, final BondQueuePair qp) {
        if (unmet.isEmpty() && unresolved.isEmpty()) {
            failedNs = core.nowNs();
        }
        which.add(qp);
    }

    private int tryAgain(final long nowNs) {
        if (unmet.isEmpty() && unresolved.isEmpty() || nowNs - failedNs < ControlLink.againNs(core)) {
            return 0;
        }
        final List<BondQueuePair> meeting = List.copyOf(unmet);
        final List<BondQueuePair> resolving = List.copyOf(unresolved);
        unmet.clear();
        unresolved.clear();
        meeting.stream().filter(qp -> QpRecovery.of(qp).isAlive()).forEach(this::meet);
        resolving.stream().filter(qp -> QpRecovery.of(qp).isAlive()).forEach(this::resolve);
        return 1;
    }

    /** The link to the bond of the vQP's peer, opened where there is none; null where none can be. */
    @Nullable ControlLink linkOf(final BondQueuePair qp) {
        final QpRecovery recovery = QpRecovery.of(qp);
        return open(
                recovery.identity().peer(), recovery.paths().addresses(), recovery.peerPort(),
                recovery.attachment().link());
    }

    /** A key means something else now, or nothing. */
    private void revoke(final int virtualKey) {
        assert core.holdsLock();
        links.forEach(link -> link.revoke(virtualKey));
    }

    /** The vQP is gone, or in RESET: nothing is asked for it any more. */
    private void forget(final BondQueuePair qp) {
        assert core.holdsLock();
        atomics.end(qp);
        confirmations.end(qp);
        unmet.remove(qp);
        unresolved.remove(qp);
        links.forEach(link -> link.forget(qp));
    }

    /**
     * Tells every peer what the members are: one is back, maybe with another address, or is up. Who could connect
     * nothing there tries again.
     */
    @Override
    public void onListChanged() {
        assert core.holdsLock();
        links.forEach(ControlLink::announce);
    }

    @Override
    public int doWork(final long nowNs) {
        assert core.holdsLock();
        int work = tryAgain(nowNs);
        final Shared own = shared;
        if (own == null) {
            return work;
        }
        for (CmEvent event = own.channel.getEvent(0); event != null; event = own.channel.getEvent(0)) {
            work++;
            final ControlLink link = linkOf(event);
            if (link != null && !link.onEvent(event)) {
                drop(link);
            }
        }
        work += completions(own.cq);
        for (final ControlLink link : links) {
            work += link.doTimers(nowNs);
        }
        return work;
    }

    /** When a link asks, or is opened, again; {@link Long#MAX_VALUE} when none waits for an answer. */
    @Override
    public long nextDeadlineNs() {
        assert core.holdsLock();
        final EarliestDeadline next = new EarliestDeadline();
        for (final ControlLink link : links) {
            next.add(link.nextDeadlineNs());
        }
        if (!unmet.isEmpty() || !unresolved.isEmpty()) {
            next.add(failedNs + ControlLink.againNs(core));
        }
        return next.atNs();
    }

    private int completions(final BondCompletionQueue cq) {
        final long wcs = core.scratchWcs(BATCH);
        // A thread that does not sleep need not be woken by each answer.
        final int count = activity.isOn(core.stageClock().nanoTime()) ? cq.poll(wcs, BATCH) : cq.pollHeard(wcs, BATCH);
        if (count <= 0) {
            return 0;
        }
        final Set<ControlLink> broken = new LinkedHashSet<>();
        for (int i = 0; i < count; i++) {
            final long wc = wcs + (long) i * WcDescriptor.SIZE;
            final int qpNum = NativeMemory.getInt(wc + WcDescriptor.QP_NUM_OFFSET);
            for (final ControlLink link : links) {
                if (link.qpNum() == qpNum) {
                    if (!link.onCompletion(wc)) {
                        broken.add(link);
                    }
                    break;
                }
            }
        }
        // An error of the vQP's own ends it without a CM event: nothing else would say that the link is over.
        broken.forEach(this::drop);
        return count;
    }

    private @Nullable ControlLink linkOf(final CmEvent event) {
        for (final ControlLink link : links) {
            if (link.id() == event.id()) {
                return link;
            }
        }
        return null;
    }

    private void drop(final ControlLink link) {
        links.remove(link);
        byPeer.values().remove(link);
        link.close();
        if (!closed) {
            link.abandon(core.nowNs());
        }
    }

    @Override
    public void close() {
        assert core.holdsLock();
        closed = true;
        for (final ControlLink link : List.copyOf(links)) {
            drop(link);
        }
        final Shared own = shared;
        shared = null;
        if (own != null) {
            own.cq.close();
            own.pd.close();
            own.channel.close();
        }
    }
}
