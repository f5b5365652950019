package io.vhca.bond.placement;

import io.vhca.bond.config.XmitHashPolicy;
import io.vhca.bond.core.BondCore;
import io.vhca.bond.member.Member;
import io.vhca.bond.member.Members;
import java.net.InetAddress;

/** balance-xor: by a hash of who is connected to whom, over the members that may be used. */
final class BalanceXor implements PlacementMode {
    private final BondCore core;
    private final Members members;
    private final EligibleMembers eligible;

    BalanceXor(final BondCore core, final Members members, final EligibleMembers eligible) {
        this.core = core;
        this.members = members;
        this.eligible = eligible;
    }

    @Override
    public int place(final InetAddress peer, final int port, final int qpNum) {
        return hash(peer, port, qpNum) & Integer.MAX_VALUE;
    }

    private int hash(final InetAddress peer, final int port, final int qpNum) {
        int hash = peer.hashCode();
        for (final Member member : members.all()) {
            hash ^= member.isPresent() ? member.address().hashCode() : 0;
        }
        if (core.config().xmitHashPolicy() == XmitHashPolicy.SRC_DST_PORT) {
            hash ^= port ^ qpNum;
        }
        // As in Linux bonding: folded, so that the low bits, which choose, depend on all.
        hash ^= hash >>> 16;
        return hash ^ hash >>> 8;
    }

    @Override
    public Member preferred(final int place) {
        return eligible.at(place);
    }
}
