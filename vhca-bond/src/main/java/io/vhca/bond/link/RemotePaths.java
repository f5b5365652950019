package io.vhca.bond.link;

import io.vhca.bond.config.BondConfig;
import io.vhca.bond.member.Member;
import io.vhca.bond.member.Members;
import io.vhca.recovery.PathId;
import io.vhca.recovery.PathTable;
import io.vhca.recovery.wire.MemberAddress;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Where the peer of one vQP can be reached, and how well each path has done. An address keeps its index for as long as
 * the peer may be there. Control lock.
 */
public final class RemotePaths {
    /** One for each member, and one where the peer was {@linkplain #admit admitted} besides. */
    private static final int MAX_ADDRESSES = BondConfig.MAX_MEMBERS + 1;

    private static final long BASE_PENALTY_NS = 1_000_000_000L;
    private static final long MAX_PENALTY_NS = 60_000_000_000L;

    private final Members members;
    private final PathPreference preference;
    private final PathTable table;
    private final List<InetAddress> addresses = new ArrayList<>();
    private int place;
    private Peer peer;
    private @Nullable InetAddress admitted;
    private int admittedAt;

    /** @param place see {@link PathPreference} */
    public RemotePaths(
            final Members members, final PathPreference preference, final Peer peer, final int place) {
        this.members = members;
        this.preference = preference;
        this.place = place;
        this.peer = peer;
        table = new PathTable(members.all().size(), MAX_ADDRESSES, BASE_PENALTY_NS, MAX_PENALTY_NS);
        for (int i = 0; i < MAX_ADDRESSES; i++) {
            table.remoteUp(i, false);
        }
        refresh();
    }

    public int place() {
        return place;
    }

    /** The vQP shall live somewhere else from now on. */
    public void place(final int next) {
        assert next >= 0 : "only a vQP that this side placed gets another place";
        place = next;
    }

    public boolean isPlacedHere() {
        return place != PathPreference.PEERS;
    }

    /** This side places the vQP, once: its session stands, and no other one takes its place any more. */
    public void placeHere(final InetAddress address, final int port, final int qpNum) {
        if (place == PathPreference.PEERS) {
            place = preference.place(address, port, qpNum);
        }
    }

    public PathTable table() {
        return table;
    }

    public void peer(final Peer known) {
        peer = known;
        refresh();
    }

    /** Takes in what was learned of the peer's members since, which own ones are in use, and which is preferred. */
    public void refresh() {
        for (final MemberAddress member : peer.members()) {
            indexOf(member.inetAddress());
        }
        for (final InetAddress address : peer.listed()) {
            if (addresses.size() < MAX_ADDRESSES) {
                indexOf(address);
            }
        }
        members.all().forEach(this::refresh);
        for (int i = 0; i < addresses.size(); i++) {
            table.remoteUp(i, mayBeAt(addresses.get(i)));
        }
        table.preferLocal(preference.preferred(place).index());
    }

    /**
     * The peer has shown the session from an address that its bond has not named, when no other was left. It counts as
     * its own, for this vQP alone, until the bond says anew what its members are.
     */
    public void admit(final InetAddress address) {
        admitted = address;
        admittedAt = peer.tellings();
    }

    private boolean mayBeAt(final InetAddress address) {
        return peer.mayBeAt(address) || address.equals(admitted) && peer.tellings() == admittedAt;
    }

    /** A channel stands over one of these paths, or is over, or nobody answered, or a no, where it was asked for. */
    public void learn(final PathChannel channel, final long nowNs) {
        final ChannelPlace at = channel.place();
        if (at.peer() != peer) {
            return;
        }
        final PathId path = new PathId(at.member().index(), indexOf(at.remote()));
        if (channel.isUnanswered()) {
            table.failed(path, nowNs);
        } else if (channel.isPeerDrained()) {
            table.putOff(path, nowNs);
        } else if (channel.isEstablished() && table.consecutiveFailures(path) > 0) {
            table.succeeded(path, nowNs);
        }
    }

    /**
     * Index of an address, which is added when it is new: in place of one where the peer is not any more where there is
     * no room. The last one stands in for all that do not fit.
     */
    public int indexOf(final InetAddress address) {
        final int known = addresses.indexOf(address);
        if (known >= 0) {
            return known;
        }
        final int index = addresses.size() < MAX_ADDRESSES ? addresses.size() : leftAt();
        if (index < 0) {
            return MAX_ADDRESSES - 1;
        }
        if (index < addresses.size()) {
            addresses.set(index, address);
            table.forgetRemote(index);
        } else {
            addresses.add(address);
        }
        table.remoteUp(index, true);
        table.grow(members.all().size());
        for (final Member member : members.all()) {
            weigh(member, index);
        }
        return index;
    }

    /** Index of an address where the peer is not any more, or -1. */
    private int leftAt() {
        for (int i = 0; i < addresses.size(); i++) {
            if (!mayBeAt(addresses.get(i))) {
                return i;
            }
        }
        return -1;
    }

    /** The own end of a path. */
    public Member member(final PathId path) {
        return members.all().get(path.localMember());
    }

    public InetAddress address(final int index) {
        return addresses.get(index);
    }

    public List<InetAddress> addresses() {
        return addresses;
    }

    /** The best path of a member that nothing speaks against now; or null. */
    public @Nullable PathId goodPath(final Member from, final long nowNs) {
        refresh();
        return table.goodPath(from.index(), nowNs);
    }

    /** Whether a member has such a path, as far as was taken in. */
    public boolean isReached(final Member from, final long nowNs) {
        return table.goodPath(from.index(), nowNs) != null;
    }

    /** A member went up, down, into or out of use; its address may be another one. */
    public void refresh(final Member member) {
        table.grow(member.index() + 1);
        table.localUp(member.index(), member.isEligible());
        for (int i = 0; i < addresses.size(); i++) {
            weigh(member, i);
        }
    }

    /** A member that left, and an address that the peer does not name any more, have no affinity. */
    private void weigh(final Member member, final int index) {
        final InetAddress address = addresses.get(index);
        final boolean isPair = member.isPresent() && mayBeAt(address);
        table.affinity(
                new PathId(member.index(), index), isPair ? Affinity.of(member.address(), address) : 0);
    }

    /** An operator wants the member to be used. */
    public void forgive(final Member member) {
        table.grow(member.index() + 1);
        table.forgive(member.index());
    }

    /** It is no member any more: what was seen over it says nothing of the next one with its index. */
    public void left(final Member member) {
        table.grow(member.index() + 1);
        table.forgetLocal(member.index());
        refresh(member);
    }
}
