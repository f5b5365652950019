package io.vhca.bond.placement;

import io.vhca.bond.config.BondMode;
import io.vhca.bond.config.XmitHashPolicy;
import io.vhca.bond.core.BondCore;
import io.vhca.bond.link.PathPreference;
import io.vhca.bond.member.Member;
import io.vhca.bond.member.Members;
import java.net.InetAddress;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Says which member a vQP shall live on, by the bond's mode. Only the side that connected first places a vQP: the other
 * follows. Control lock.
 */
public final class Placement implements PathPreference {
    private final BondCore core;
    private final Members members;
    private final LinkMonitor monitor;
    private final MemberLoads loads;
    private int turn;

    public Placement(
            final BondCore core, final Members members, final LinkMonitor monitor, final MemberLoads loads) {
        this.core = core;
        this.members = members;
        this.monitor = monitor;
        this.loads = loads;
    }

    /**
     * The place of a new vQP in the order of members; at least 0. It keeps it for life, but for balance-tlb, where the
     * place is the index of a member.
     */
    public int place(final InetAddress peer, final int port, final int qpNum) {
        return switch (core.config().mode()) {
            case ACTIVE_BACKUP -> 0;
            case BALANCE_RR -> turn++ & Integer.MAX_VALUE;
            case BALANCE_TLB -> loads.leastLoaded(turn++, monitor.active());
            case BALANCE_XOR -> hash(peer, port, qpNum) & Integer.MAX_VALUE;
        };
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
        if (place == PEERS || core.config().mode() == BondMode.ACTIVE_BACKUP) {
            return monitor.active();
        }
        if (core.config().mode() == BondMode.BALANCE_TLB
                && place < members.all().size()
                && members.all().get(place).isEligible()) {
            return members.all().get(place);
        }
        final List<Member> eligible =
                members.all().stream().filter(Member::isEligible).toList();
        return eligible.isEmpty()
                ? monitor.active()
                : eligible.get(place % eligible.size());
    }

    /**
     * Where a healthy vQP that lives on {@code now} should be moved, or null when it should stay.
     *
     * <p>It leaves a drained member whoever placed it. Otherwise only whoever placed it moves it: in the balancing
     * modes to its place, in active-backup to the member that an operator or {@code primary_reselect} chose.
     */
    public @Nullable Member better(final int place, final Member now) {
        final Member wanted;
        if (now.isDrained()) {
            wanted = preferred(place);
        } else if (place == PEERS) {
            return null;
        } else if (core.config().mode() == BondMode.ACTIVE_BACKUP) {
            wanted = monitor.chosen() == monitor.active() ? monitor.active() : null;
        } else {
            wanted = preferred(place);
        }
        return wanted == null || wanted == now || !wanted.isEligible() ? null : wanted;
    }
}
