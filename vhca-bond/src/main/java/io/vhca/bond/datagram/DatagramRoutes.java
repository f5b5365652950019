package io.vhca.bond.datagram;

import io.vhca.api.QpState;
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
import java.util.Set;
import java.util.stream.Collectors;
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
    private final DatagramSources sources;
    private long nextRefreshNs;
    /** How often it has moved. */
    private int moves;

    DatagramRoutes(final Datagrams datagrams, final BondDatagramQp qp) {
        this.datagrams = datagrams;
        this.qp = qp;
        core = datagrams.scope().core();
        members = datagrams.scope().members();
        peers = datagrams.scope().peers();
        handles = datagrams.scope().handles();
        sends = qp.sendQueue();
        sources = new DatagramSources(core.counters(), datagrams::takeRoom);
    }

    DatagramSources sources() {
        return sources;
    }

    /** Where those are that it sends to, as far as is known, in words. */
    List<String> describe() {
        return sends.destinations().all().stream().map(Destination::describe).toList();
    }

    /**
     * Looks after the request that waits first: asks for its destination, without a turn, for it is one of a vQP; or
     * takes it as lost. In ERR it is left.
     */
    void waiting(final long nowNs) {
        while (qp.state() != QpState.ERR) {
            final long handle = sends.waitingHandle();
            if (handle == 0) {
                return;
            }
            final Destination to = destination(handle, sends.waitingQpNum());
            if (to != null && qp.home().member() != null) {
                if (to.isDue(nowNs) && !isKnown(to, nowNs)) {
                    begin(to, question(to));
                    continue; // it may have failed at once, and then this was looked after already
                }
                if (to.isReady()) {
                    sends.goOn();
                    return;
                }
                if (to.isAwaited()) {
                    final DestinationQuery unbegun = to.unbegun();
                    if (unbegun == null) {
                        return;
                    }
                    begin(to, unbegun);
                    continue;
                }
            }
            if (sends.oldestAwaited() >= 0) {
                return; // hardware must complete something before; then it is tried again
            }
            if (!sends.isAtHardware()) {
                qp.loseFirst();
            } else if (!qp.home().loseFirst()) {
                return; // it is about to move, and then this is looked after again
            }
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

    /** Where a vQP says that it is, by its address and physical number, and the own member that it said so to. */
    record Heard(InetAddress address, int number, Member at) {}

    /** Asks in its turn, where nobody has said meanwhile where it is. */
    private void ask(final Destination to, final Datagrams.Turn turn) {
        final DestinationQuery question = question(to);
        datagrams.inTurn(turn, () -> begin(to, question), question::isAwaited);
    }

    private void begin(final Destination to, final DestinationQuery question) {
        if (!question.isBegun()) {
            final List<InetAddress> addresses = to.ah().addresses();
            question.start(
                    addresses, sources.whereabouts(to.qpNum(), addresses, qp.home().member()), core.nowNs());
        }
    }

    /** What is to be asked, and is known to be on its way from now on. */
    private DestinationQuery question(final Destination to) {
        final DestinationQuery.Asker asker = new DestinationQuery.Asker() {
            @Override
            public boolean isOf(final long instance, final InetAddress from) {
                return to.isOf(instance, from);
            }

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
            public void onNotMet(final boolean wasHeard, final long atNs) {
                // Where nobody answered, who answered before is slow, or cut off: datagrams tell no difference.
                sends.change(() -> to.unmet(wasHeard, atNs));
                waiting(atNs);
            }

            @Override
            public void onGone(final long atNs) {
                sends.change(() -> to.gone(atNs));
                waiting(atNs);
            }
        };
        final DestinationQuery question = new DestinationQuery(datagrams, qp, to.qpNum(), to.vain(), asker);
        sends.change(() -> to.asking(question));
        return question;
    }

    /** Several handles may name one vQP: what one was told holds for all of them. */
    private void found(
            final Destination to, final DatagramRecord answer, final InetAddress at, final long nowNs) {
        final int number = answer.physicalQpNum();
        place(to, answer.instance(), at, number, nowNs);
        for (final Destination other : sends.destinations().all()) {
            if (other != to && other.isAsking() && other.isKnownTo(to)) {
                other.cancel();
                place(other, answer.instance(), at, number, nowNs);
            }
        }
    }

    /** True where another handle for the same vQP was told where it lives: there is nothing to ask. */
    private boolean isKnown(final Destination to, final long nowNs) {
        for (final Destination other : sends.destinations().all()) {
            final InetAddress at = other.at();
            if (other != to && at != null && to.isKnownTo(other)) {
                place(to, other.instance(), at, other.physicalQpNum(), nowNs);
                return true;
            }
        }
        return false;
    }

    private void place(
            final Destination to, final long instance, final InetAddress at, final int number, final long nowNs) {
        final Member from = qp.home().member();
        if (from == null) {
            return;
        }
        try {
            final long handle = to.ah().on(from, at);
            sends.change(() -> to.found(instance, at, number, handle));
            qp.home().heardOf(new DatagramName(instance, to.qpNum()), true, nowNs);
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
        final Heard word = new Heard(address, number, at);
        for (final Destination to : sends.destinations().all()) {
            final boolean isIt = to.is(from.instance(), theirs);
            if (isIt && to.isElsewhere(address, number)) {
                sends.change(to::moved);
                if (to.isAsking()) {
                    sends.change(to::askedYet);
                }
                final DestinationQuery unbegun = to.isAsking() ? to.unbegun() : question(to);
                if (unbegun == null) {
                    to.heard(word, nowNs);
                } else {
                    unbegun.start(to.ah().addresses(), word, nowNs);
                }
            } else if (to.isAsking() && address.equals(by.remote()) && (isIt || to.mayBe(peer, address))) {
                to.heard(word, nowNs);
            }
        }
    }

    /** The vQP lives elsewhere now: whoever it sends to, and whoever sends to it, is told. */
    void onMoved(final long nowNs) {
        forget();
        final List<Destination> all = sends.destinations().all();
        if (qp.home().member() != null) {
            for (final Destination to : all) {
                ask(to, Datagrams.Turn.MOVED);
            }
            final Set<DatagramName> known =
                    all.stream().map(to -> new DatagramName(to.instance(), to.qpNum())).collect(Collectors.toSet());
            moves++;
            for (final DatagramSources.Source source : sources.latest().reversed()) {
                if (!known.contains(new DatagramName(source.instance(), source.qpNum()))) {
                    tell(source, moves);
                }
            }
        }
        waiting(nowNs);
    }

    /** Tells a sender in its turn, where it has not moved once more by then. */
    private void tell(final DatagramSources.Source source, final int move) {
        final DestinationQuery question =
                new DestinationQuery(datagrams, qp, source.qpNum(), 0, new Told(source.instance()));
        datagrams.inTurn(
                Datagrams.Turn.TELLING,
                () -> {
                    if (moves == move && qp.home().member() != null) {
                        question.start(peers.addressesOf(source.address()), null, core.nowNs());
                    }
                },
                question::isAwaited);
    }

    /** Of who only sends to this vQP it is enough that it heard. */
    private record Told(long instance) implements DestinationQuery.Asker {
        @Override
        public boolean isOf(final long answers, final InetAddress from) {
            return answers == instance;
        }

        @Override
        public void onFound(final DatagramRecord answer, final InetAddress at, final long nowNs) {}

        @Override
        public boolean onReachedFrom(
                final Member other, final DatagramName peer, final boolean isLast, final long nowNs) {
            return true;
        }

        @Override
        public void onNotMet(final boolean wasHeard, final long nowNs) {}

        @Override
        public void onGone(final long nowNs) {}
    }

    /** Every {@code heartbeat}, destinations in use are asked for again: what moved unheard, or died, is found so. */
    void look(final long nowNs) {
        if (core.config().heartbeatNs() == 0 || nowNs - nextRefreshNs < 0 || qp.home().member() == null) {
            return;
        }
        nextRefreshNs = nowNs + core.config().heartbeatNs();
        for (final Destination to : sends.destinations().all()) {
            if (to.takeUsed() && !to.isAsking()) {
                ask(to, Datagrams.Turn.REFRESH);
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
                // What waits for the answer is lost, once nobody finds the vAH any more; what is behind it goes on.
                qp.onDestinationMissing();
            }
        }
        sends.change(() -> sends.destinations().remove(ah));
    }

    /** The vQP is destroyed. */
    void close() {
        datagrams.giveRoom(sources.close());
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
