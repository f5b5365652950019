package io.vhca.bond;

import io.vhca.recovery.MemberAddress;
import io.vhca.recovery.PathId;
import io.vhca.recovery.PathTable;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;

/**
 * Where the peer of one vQP can be reached, and how well each path has done. Addresses are only added. Control lock.
 */
final class RemotePaths {
    private static final int MAX_ADDRESSES = 10;
    private static final long BASE_PENALTY_NS = 1_000_000_000L;
    private static final long MAX_PENALTY_NS = 60_000_000_000L;

    private final BondContext context;
    private final PathTable table;
    private final List<InetAddress> addresses = new ArrayList<>();
    private Peer peer;

    RemotePaths(final BondContext context, final Peer peer) {
        this.context = context;
        this.peer = peer;
        table = new PathTable(context.members().size(), MAX_ADDRESSES, BASE_PENALTY_NS, MAX_PENALTY_NS);
        for (int i = 0; i < MAX_ADDRESSES; i++) {
            table.remoteUp(i, false);
        }
        for (final Member member : context.members()) {
            table.localUp(member.index(), member.isUp());
        }
        refresh();
    }

    PathTable table() {
        return table;
    }

    void peer(final Peer known) {
        peer = known;
        refresh();
    }

    /** Takes in what was learned of the peer's members since, and which own member is preferred now. */
    void refresh() {
        for (final MemberAddress member : peer.members()) {
            indexOf(member.inetAddress());
        }
        table.preferLocal(context.conductor().monitor().active().index());
    }

    /** Index of an address, which is added when it is new; the last one stands in for all that do not fit. */
    int indexOf(final InetAddress address) {
        final int known = addresses.indexOf(address);
        if (known >= 0) {
            return known;
        }
        if (addresses.size() == MAX_ADDRESSES) {
            return MAX_ADDRESSES - 1;
        }
        final int index = addresses.size();
        addresses.add(address);
        table.remoteUp(index, true);
        for (final Member member : context.members()) {
            table.affinity(new PathId(member.index(), index), Affinity.of(member.address(), address));
        }
        return index;
    }

    InetAddress address(final int index) {
        return addresses.get(index);
    }

    List<InetAddress> addresses() {
        return addresses;
    }

    void memberUp(final Member member, final boolean up) {
        table.localUp(member.index(), up);
    }
}
