package io.vhca.bond.datagram;

import io.vhca.api.QueuePair;
import io.vhca.api.VerbsException;
import io.vhca.bond.core.BondCore;
import io.vhca.bond.link.PathLink;
import io.vhca.bond.link.DatagramPeers;
import io.vhca.bond.member.Member;
import io.vhca.bond.member.Members;
import io.vhca.bond.verbs.AddressHandles;
import io.vhca.bond.verbs.BondAddressHandle;
import io.vhca.recovery.wire.DatagramRecord;
import io.vhca.recovery.wire.MemberAddress;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Whom a vQP for datagrams sends to and who sends to it, and where they all live. A datagram waits for the first answer
 * of where its destination is; where there is none it is lost, as on a network, and the next ones are until there is
 * one. Control lock, but for {@link #sources}.
 */
public final class DatagramRoutes {
    private final BondDatagramQp qp;
    private final Datagrams datagrams;
    private final BondCore core;
    private final Members members;
    private final DatagramPeers peers;
    private final AddressHandles handles;
    private final DatagramSendQueue sends;
    private final DatagramSources sources = new DatagramSources();
    private long nextRefreshNs;

    DatagramRoutes(final Datagrams datagrams, final BondDatagramQp qp) {
        this.datagrams = datagrams;
        this.qp = qp;
        core = datagrams.scope().core();
        members = datagrams.scope().members();
        peers = datagrams.scope().peers();
        handles = datagrams.scope().handles();
        sends = qp.sendQueue();
    }

    DatagramSources sources() {
        return sources;
    }

    /** Looks after the request that waits first: asks for its destination, or takes it as lost. */
    void waiting(final long nowNs) {
        while (true) {
            final long handle = sends.waitingHandle();
            if (handle == 0) {
                return;
            }
            final Destination to = destination(handle, sends.waitingQpNum());
            if (to != null && qp.home().member() != null) {
                if (to.isDue(nowNs)) {
                    ask(to, nowNs);
                }
                if (to.isReady()) {
                    sends.goOn();
                    return;
                }
                if (to.isAwaited()) {
                    return;
                }
            }
            final long end = sends.lose();
            if (end < 0) {
                return; // hardware must complete something before; then it is tried again
            }
            qp.completeOwed(end);
        }
    }

    /** Null where the vAH was destroyed. */
    private @Nullable Destination destination(final long handle, final int qpNum) {
        for (final Destination one : sends.destinations().all()) {
            if (one.isFor(handle, qpNum)) {
                return one;
            }
        }
        final BondAddressHandle ah = handles.find(handle);
        if (ah == null) {
            return null;
        }
        final Destination made = new Destination(ah, qpNum);
        sends.change(() -> sends.destinations().add(made));
        return made;
    }

    /** Where a vQP says that it is, and the own member that it said so to. */
    record Heard(InetAddress address, Member at) {}

    private void ask(final Destination to, final long nowNs) {
        ask(to, sources.whereabouts(to.qpNum(), to.ah().addresses(), qp.home().member()), nowNs);
    }

    private void ask(final Destination to, final @Nullable Heard likely, final long nowNs) {
        final DestinationQuery question = new DestinationQuery(datagrams, qp, to.qpNum(), new DestinationQuery.Asker() {
            @Override
            public void onFound(final DatagramRecord answer, final InetAddress at, final long atNs) {
                found(to, answer, at, atNs);
                waiting(atNs);
            }

            @Override
            public boolean onReachedFrom(
                    final Member other, final DatagramName peer, final boolean isLast, final long atNs) {
                return qp.home().meet(other, peer, isLast, atNs);
            }

            @Override
            public void onNotFound(final long atNs) {
                sends.change(() -> to.lost(atNs));
                waiting(atNs);
            }
        });
        sends.change(() -> to.asking(question));
        question.start(to.ah().addresses(), likely, nowNs);
    }

    private void found(final Destination to, final DatagramRecord answer, final InetAddress at, final long nowNs) {
        final Member from = qp.home().member();
        if (from == null) {
            return;
        }
        try {
            final long handle = to.ah().on(from, at);
            sends.change(() -> to.found(answer.instance(), at, answer.physicalQpNum(), handle));
            qp.home().heardOf(new DatagramName(answer.instance(), to.qpNum()), true, nowNs);
        } catch (final VerbsException e) {
            core.counters().ignored(e);
            sends.change(() -> to.lost(nowNs));
        }
    }

    /** Another bond asks for this vQP, and says where its own is. */
    void onAsked(final DatagramRecord from, final PathLink by, final long nowNs) {
        final InetAddress address = DestinationQuery.home(from);
        if (address == null) {
            return;
        }
        final Member at = by.member();
        final int number = from.physicalQpNum();
        final int theirs = from.vQpNum();
        sources.heard(address, number, theirs, from.instance(), at);
        final DatagramName peer = new DatagramName(from.instance(), theirs);
        if ((from.flags() & DatagramRecord.CALL) != 0) {
            qp.home().meet(at, peer, (from.flags() & DatagramRecord.LAST) != 0, nowNs);
        }
        qp.home().heardOf(peer, at == qp.home().member() && address.equals(by.remote()), nowNs);
        for (final Destination to : sends.destinations().all()) {
            if (to.is(from.instance(), theirs) && to.isElsewhere(address, number)) {
                // What it was known by is of no use any more: datagrams wait for the answer.
                to.cancel();
                sends.change(to::forget);
                ask(to, new Heard(address, at), nowNs);
            }
        }
    }

    /** The vQP lives elsewhere now: whoever it sends to, and whoever sends to it, is told. */
    void onMoved(final long nowNs) {
        forget();
        final List<Destination> all = sends.destinations().all();
        if (qp.home().member() != null) {
            for (final Destination to : all) {
                ask(to, nowNs);
            }
            for (final DatagramSources.Source source : sources.latest()) {
                if (all.stream().noneMatch(to -> to.is(source.instance(), source.qpNum()))) {
                    new DestinationQuery(datagrams, qp, source.qpNum(), Told.INSTANCE)
                            .start(peers.addressesOf(source.address()), null, nowNs);
                }
            }
        }
        waiting(nowNs);
    }

    /** Of who only sends to this vQP it is enough that it heard. */
    private enum Told implements DestinationQuery.Asker {
        INSTANCE;

        @Override
        public void onFound(final DatagramRecord answer, final InetAddress at, final long nowNs) {}

        @Override
        public boolean onReachedFrom(
                final Member other, final DatagramName peer, final boolean isLast, final long nowNs) {
            return true;
        }

        @Override
        public void onNotFound(final long nowNs) {}
    }

    /** Every {@code heartbeat}, destinations in use are asked for again: what moved unheard, or died, is found so. */
    void look(final long nowNs) {
        if (core.config().heartbeatNs() == 0 || nowNs - nextRefreshNs < 0 || qp.home().member() == null) {
            return;
        }
        nextRefreshNs = nowNs + core.config().heartbeatNs();
        for (final Destination to : sends.destinations().all()) {
            if (to.takeUsed() && !to.isAsking()) {
                ask(to, nowNs);
            }
        }
    }

    /** Nothing that is known holds any more. */
    void forget() {
        final List<Destination> all = sends.destinations().all();
        all.forEach(Destination::cancel);
        sends.change(() -> all.forEach(Destination::forget));
    }

    /** The vAH is destroyed. */
    void forget(final BondAddressHandle ah) {
        for (final Destination to : sends.destinations().all()) {
            if (to.ah() == ah) {
                to.cancel();
            }
        }
        sends.change(() -> sends.destinations().remove(ah));
    }

    /** Where this vQP lives, as told to another bond. */
    public DatagramRecord record(final int flags, final int targetQpNum) {
        final Member on = qp.home().member();
        final QueuePair physical = qp.home().physical();
        final List<MemberAddress> homeFirst = new ArrayList<>();
        for (final MemberAddress one : members.addresses(Member::isAlive)) {
            homeFirst.add(on != null && one.member() == on.index() ? 0 : homeFirst.size(), one);
        }
        return new DatagramRecord(
                core.datagramInstance(),
                on == null || physical == null ? null : on.id(),
                qp.qpNum(),
                on == null || physical == null ? 0 : physical.qpNum(),
                flags,
                targetQpNum,
                homeFirst);
    }
}
