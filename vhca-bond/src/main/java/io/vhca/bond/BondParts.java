package io.vhca.bond;

import io.vhca.api.Context;
import io.vhca.api.VerbsException;
import io.vhca.bond.cm.CmScope;
import io.vhca.bond.cm.ConnectWaits;
import io.vhca.bond.cm.PendingAccepts;
import io.vhca.bond.cm.RecoveryListener;
import io.vhca.bond.control.ControlActivity;
import io.vhca.bond.control.ControlPlane;
import io.vhca.bond.control.NotedWork;
import io.vhca.bond.core.BondRuntime;
import io.vhca.bond.core.OpenObjects;
import io.vhca.bond.core.RewindPolicy;
import io.vhca.bond.datagram.BondDatagramCmId;
import io.vhca.bond.datagram.Datagrams;
import io.vhca.bond.failover.Detection;
import io.vhca.bond.failover.Recoveries;
import io.vhca.bond.link.CloseNotices;
import io.vhca.bond.link.ConnectTurns;
import io.vhca.bond.link.Links;
import io.vhca.bond.link.Peers;
import io.vhca.bond.link.RecoveryPort;
import io.vhca.bond.link.Sessions;
import io.vhca.bond.member.BondLimits;
import io.vhca.bond.member.Member;
import io.vhca.bond.member.MemberSource;
import io.vhca.bond.member.Members;
import io.vhca.bond.placement.LinkMonitor;
import io.vhca.bond.placement.LoadSampler;
import io.vhca.bond.placement.MemberLife;
import io.vhca.bond.placement.MemberLoads;
import io.vhca.bond.placement.MemberSeats;
import io.vhca.bond.placement.Placement;
import io.vhca.bond.placement.PlannedMoves;
import io.vhca.bond.placement.VirtualPort;
import io.vhca.bond.queue.LocalKeys;
import io.vhca.bond.verbs.AddressHandles;
import io.vhca.bond.verbs.AttentionQueue;
import io.vhca.bond.verbs.BondQueuePair;
import io.vhca.bond.verbs.QpCreation;
import io.vhca.bond.verbs.QpTable;
import io.vhca.bond.verbs.SharedQueues;
import io.vhca.bond.verbs.VerbsScope;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.random.RandomGenerator;

/**
 * Everything that an open bond consists of, put together once, from the lowest layer to the highest: each part is given
 * those below it. The only class that knows all of them. Control lock.
 */
final class BondParts implements AutoCloseable {
    final BondRuntime core;
    final OpenObjects children;
    final Members members;
    final BondLimits limits;
    final LocalKeys keys;
    final QpTable qps = new QpTable();
    final Links links;
    final LinkMonitor monitor;
    final PlannedMoves moves;
    final MemberLife life;
    final MemberSeats seats;
    final VirtualPort port;
    final Recoveries recoveries;
    final Datagrams datagrams;
    final ControlActivity activity = new ControlActivity();
    final ControlPlane control;
    final VerbsScope verbs;
    final CmScope cm;
    final BondConductor conductor;
    private final Peers peers = new Peers();
    private final Sessions sessions;
    private final ConnectTurns turns = new ConnectTurns();
    private final Detection detection;
    private final RecoveryListener listener;
    /** Members that are still to be closed once the bond is. */
    private final Queue<Member> open = new ConcurrentLinkedQueue<>();

    /**
     * Puts a bond together; on an exception the members are still the caller's, and nothing keeps them busy.
     *
     * @param context what objects answer that the application asks for their context
     * @param opened  the members' devices
     */
    BondParts(
            final Context context,
            final BondRuntime core,
            final List<Context> opened,
            final MemberSource source,
            final RandomGenerator random, final RewindPolicy rewindPolicy) {
        this.core = core;
        children = new OpenObjects(core);
        core.lock();
        sessions = new Sessions(core.hasKey());
        keys = new LocalKeys(opened.size(), random.nextInt());
        members = new Members(core);
        try {
            members.begin(opened);
            limits = new BondLimits(members.all(), context.device().nodeGuid(), core.config());
            final AttentionQueue<BondQueuePair> attention = new AttentionQueue<>(core);
            final AddressHandles handles = new AddressHandles(limits.attributes().maxAh());
            final RecoveryPort recoveryPort = new RecoveryPort(core.config().basePort());
            links = new Links(core);
            monitor = new LinkMonitor(core, members);
            port = new VirtualPort(core, members, monitor);
            final MemberLoads loads = new MemberLoads(members);
            final Placement placement = new Placement(core, members, monitor, loads);
            moves = new PlannedMoves(core, links, qps, placement);
            life = new MemberLife(core, members, links, limits, monitor, source);
            seats = new MemberSeats(core, members, links, limits, keys, monitor, life, source);
            datagrams = new Datagrams(new Datagrams.Scope(
                    core, members, links, peers.datagrams(), recoveryPort, qps, handles, monitor, placement));
            recoveries = new Recoveries(new Recoveries.Scope(
                    core, members, links, turns, new CloseNotices(core, members, links), sessions, peers, recoveryPort,
                    placement, rewindPolicy, this::meet, qps));
            final SharedQueues shared = new SharedQueues(limits.attributes().maxSrq(), datagrams.completions());
            verbs = new VerbsScope(
                    context, core, members, limits, keys, qps, shared, handles, peers.datagrams(), children,
                    new QueuePairs(new QpCreation(qps, attention, recoveryPort, recoveries::create), datagrams));
            final ConnectWaits waits = new ConnectWaits(members);
            final PendingAccepts accepts = new PendingAccepts(core, sessions);
            cm = new CmScope(context, core, members, links, peers, sessions, accepts, placement, waits, children,
                    BondDatagramCmId::new);
            control = new ControlPlane(verbs, cm, rewindPolicy, activity);
            detection = new Detection(recoveries, datagrams);
            listener = new RecoveryListener(
                    cm, recoveryPort, qps, control::onConnect, datagrams::onAsked, detection::answer);
            begin(links, listener, monitor);
            List.of(moves, datagrams, recoveries.memberNews(), life, control).forEach(members::observe); // moves first
            conductor = new BondConductor(core, List.of(
                    life, seats, monitor, new MemberEvents(core, members, links, qps, datagrams, monitor, life),
                    links, detection, recoveries.drains(), shared, datagrams,
                    new NotedWork(core, attention, detection.silence(), control), control.atomics(),
                    control.confirmations(), waits, recoveries, accepts, turns, control,
                    sampler(core, members, qps, placement, loads), moves));
        } catch (final RuntimeException | Error e) {
            // The caller closes the members, which their event channels would keep busy.
            members.all().forEach(member -> member.cm().close());
            core.close();
            throw e;
        } finally {
            core.unlock();
        }
    }

    /** Peers are heard from now on, and it is known which members have no address. */
    private static void begin(final Links links, final RecoveryListener listener, final LinkMonitor monitor) {
        links.target(listener);
        monitor.begin();
    }

    private static LoadSampler sampler(
            final BondRuntime core, final Members members, final QpTable qps, final Placement placement,
            final MemberLoads loads) {
        return new LoadSampler(core.config(), () -> core.config().updelayNs(), members, qps, placement, loads);
    }

    /** The lowest layers speak of peers before the layer is there that connects to them. */
    private void meet(final BondQueuePair qp) {
        control.meet(qp);
    }

    /** The process ends: every connection is closed, as its application would. Control lock. */
    void sayGoodbye(final long nowNs) {
        recoveries.sayGoodbye(nowNs);
    }

    /** True while the peer of a connection has not heard yet that it is over. */
    boolean isSayingGoodbye() {
        return recoveries.isSayingGoodbye() || core.hasActions();
    }

    /** Ends all connections and closes all but the members. Control lock. */
    @Override
    public void close() {
        assert core.holdsLock();
        core.events().closeObservers();
        control.close();
        listener.close();
        detection.close();
        links.close();
        for (final Member member : members.all()) {
            if (life.holdsContext(member)) {
                open.add(member);
            }
        }
        core.close();
        core.events().close();
    }

    /**
     * Closes the members, once all else is closed. Without the control lock: a driver may take its time to destroy what
     * was on one.
     *
     * @throws VerbsException as the first one says that cannot be closed yet; the others are, and it may be tried again
     */
    synchronized void closeMembers() {
        VerbsException refused = null;
        for (final Member member : open) {
            try {
                member.cm().close();
                member.context().close();
                open.remove(member);
            } catch (final VerbsException e) {
                refused = refused == null ? e : refused;
            }
        }
        if (refused != null) {
            throw refused;
        }
    }
}
