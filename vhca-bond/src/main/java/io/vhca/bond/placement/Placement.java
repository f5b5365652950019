package io.vhca.bond.placement;

import io.vhca.bond.core.BondCore;
import io.vhca.bond.link.PathPreference;
import io.vhca.bond.member.Member;
import io.vhca.bond.member.Members;
import java.net.InetAddress;
import org.jspecify.annotations.Nullable;

/**
 * Says which member a vQP shall live on, by the bond's mode. Only the side that connected first places a vQP: the other
 * follows. Control lock.
 */
public final class Placement implements PathPreference {
    private final LinkMonitor monitor;
    private final PlacementMode mode;

    public Placement(
            final BondCore core, final Members members, final LinkMonitor monitor, final MemberLoads loads) {
        this.monitor = monitor;
        final EligibleMembers eligible = new EligibleMembers(members, monitor);
        mode = switch (core.config().mode()) {
            case ACTIVE_BACKUP -> new ActiveBackup(monitor);
            case BALANCE_RR -> new BalanceRoundRobin(eligible);
            case BALANCE_XOR -> new BalanceXor(core, members, eligible);
            case BALANCE_TLB -> new BalanceTransmitLoad(members, monitor, loads, eligible);
        };
    }

    /**
     * The place of a new vQP in the order of members; at least 0. It keeps it for life, but for balance-tlb, where the
     * place is the index of a member.
     */
    @Override
    public int place(final InetAddress peer, final int port, final int qpNum) {
        final int place = mode.place(peer, port, qpNum);
        assert place >= 0 : place;
        return place;
    }

    @Override
    public Member preferred(final int place) {
        return place == PEERS ? monitor.active() : mode.preferred(place);
    }

    /**
     * Where a healthy vQP that lives on {@code now} should be moved, or null when it should stay.
     *
     * <p>It leaves a drained member whoever placed it. Otherwise only whoever placed it moves it, as the mode says.
     */
    public @Nullable Member better(final int place, final Member now) {
        final Member wanted = now.isDrained() ? preferred(place) : place == PEERS ? null : mode.wanted(place);
        return wanted == null || wanted == now || !wanted.isEligible() ? null : wanted;
    }
}
