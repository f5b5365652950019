package io.vhca.bond.placement;

import io.vhca.bond.member.Member;
import java.net.InetAddress;

/** balance-qpn: vQPs by their number over the members that may be used. */
final class BalanceQpn implements PlacementMode {
    private final EligibleMembers eligible;

    BalanceQpn(final EligibleMembers eligible) {
        this.eligible = eligible;
    }

    @Override
    public int place(final InetAddress peer, final int port, final int qpNum) {
        return qpNum;
    }

    @Override
    public Member preferred(final int place) {
        return eligible.at(place);
    }
}
