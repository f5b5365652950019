package io.vhca.bond.placement;

import io.vhca.bond.BondContext;
import io.vhca.bond.config.BondMode;
import io.vhca.bond.config.XmitHashPolicy;
import io.vhca.bond.member.Member;
import java.net.InetAddress;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Says which member a vQP shall live on, by the bond's mode. Only the side that connected first places a vQP: the other
 * follows. Control lock.
 */
public final class Placement {
    /** Of a vQP that the peer placed. */
    public static final int PEERS = -1;

    private final BondContext context;
    private int turn;

    public Placement(final BondContext context) {
        this.context = context;
    }

    /**
     * The place of a new vQP in the order of members; at least 0. It keeps it for life, but for balance-tlb, where the
     * place is the index of a member.
     */
    public int place(final InetAddress peer, final int port, final int qpNum) {
        return switch (context.config().mode()) {
            case ACTIVE_BACKUP -> 0;
            case BALANCE_RR -> turn++ & Integer.MAX_VALUE;
            case BALANCE_TLB -> context.conductor().loads().leastLoaded(turn++);
            case BALANCE_XOR -> hash(peer, port, qpNum) & Integer.MAX_VALUE;
        };
    }

    private int hash(final InetAddress peer, final int port, final int qpNum) {
        int hash = peer.hashCode();
        for (final Member member : context.members()) {
            hash ^= member.isPresent() ? member.address().hashCode() : 0;
        }
        if (context.config().xmitHashPolicy() == XmitHashPolicy.SRC_DST_PORT) {
            hash ^= port ^ qpNum;
        }
        // As in Linux bonding: folded, so that the low bits, which choose, depend on all.
        hash ^= hash >>> 16;
        return hash ^ hash >>> 8;
    }

    /** The member to prefer for a place as things stand. */
    public Member preferred(final int place) {
        if (place == PEERS || context.config().mode() == BondMode.ACTIVE_BACKUP) {
            return context.conductor().monitor().active();
        }
        if (context.config().mode() == BondMode.BALANCE_TLB
                && place < context.members().size()
                && context.members().get(place).isEligible()) {
            return context.members().get(place);
        }
        final List<Member> eligible =
                context.members().stream().filter(Member::isEligible).toList();
        return eligible.isEmpty()
                ? context.conductor().monitor().active()
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
        } else if (context.config().mode() == BondMode.ACTIVE_BACKUP) {
            final LinkMonitor monitor = context.conductor().monitor();
            wanted = monitor.chosen() == monitor.active() ? monitor.active() : null;
        } else {
            wanted = preferred(place);
        }
        return wanted == null || wanted == now || !wanted.isEligible() ? null : wanted;
    }
}
