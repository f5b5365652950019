package io.vhca.bond.placement;

import io.vhca.bond.member.Member;
import java.net.InetAddress;

/** balance-rr: new vQPs in turn over the members that may be used. */
final class BalanceRoundRobin implements PlacementMode {
    private final EligibleMembers eligible;
    private int turn;

    BalanceRoundRobin(final EligibleMembers eligible) {
        this.eligible = eligible;
    }

    @Override
    public int place(final InetAddress peer, final int port, final int qpNum) {
        return turn++ & Integer.MAX_VALUE;
    }

    @Override
    public Member preferred(final int place) {
        return eligible.at(place);
    }
}
