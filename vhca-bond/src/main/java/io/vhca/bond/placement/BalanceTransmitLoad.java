package io.vhca.bond.placement;

import io.vhca.bond.member.Member;
import io.vhca.bond.member.Members;
import java.net.InetAddress;

/**
 * balance-tlb: a new vQP goes to the member that has the least to send for its speed; {@link LoadSampler} gives live
 * ones another place. A place is the index of a member, while that may be used.
 */
final class BalanceTransmitLoad implements PlacementMode {
    private final Members members;
    private final LinkMonitor monitor;
    private final MemberLoads loads;
    private final EligibleMembers eligible;
    private int turn;

    BalanceTransmitLoad(
            final Members members,
            final LinkMonitor monitor,
            final MemberLoads loads,
            final EligibleMembers eligible) {
        this.members = members;
        this.monitor = monitor;
        this.loads = loads;
        this.eligible = eligible;
    }

    @Override
    public int place(final InetAddress peer, final int port, final int qpNum) {
        return loads.leastLoaded(turn++, monitor.active());
    }

    @Override
    public Member preferred(final int place) {
        return place < members.all().size() && members.all().get(place).isEligible()
                ? members.all().get(place)
                : eligible.at(place);
    }
}
