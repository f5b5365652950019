package io.vhca.physical.soft.cm;

import io.vhca.api.Gid;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The passive connections that are not established, bounded by {@link CmLimits}. Strangers, which never answered, have
 * their own room: where it is full, one that was answered for good gives up its place, else the oldest does, once it
 * had the time of a handshake. Known peers have a reserve that no stranger gets into, in which only those that were
 * answered for good give up theirs. Guarded by the lock of the {@link CommunicationManager}.
 */
final class HalfOpen {
    private final KnownPeers known;
    private final CmLimits limits;
    /** Of strangers, the oldest first. */
    private final Set<Connection> strangers = new LinkedHashSet<>();
    /** Of known peers. */
    private final Set<Connection> reserve = new LinkedHashSet<>();

    private final Map<Gid, Integer> bySource = new HashMap<>();

    HalfOpen(final KnownPeers known, final CmLimits limits) {
        this.known = known;
        this.limits = limits;
    }

    /** True when one more from there finds room without another's place. */
    boolean hasRoom(final Gid source) {
        final int ofSource = bySource.getOrDefault(source, 0);
        return known.isKnown(source)
                ? reserve.size() < limits.ofKnown() && ofSource < limits.ofKnownPeer()
                : strangers.size() < limits.ofStrangers() && ofSource < limits.ofStranger();
    }

    /** Where {@link #hasRoom} is false: the one whose place another from there takes; null for none. */
    @Nullable Connection victim(final Gid source, final long nowNs) {
        final boolean isKnown = known.isKnown(source);
        final int most = isKnown ? limits.ofKnownPeer() : limits.ofStranger();
        final boolean isSourceFull = bySource.getOrDefault(source, 0) >= most;
        Connection oldest = null;
        for (final Connection one : isKnown ? reserve : strangers) {
            if (!isSourceFull || one.peer.equals(source)) {
                if (one.isAnsweredForGood()) {
                    return one;
                }
                oldest = oldest == null ? one : oldest;
            }
        }
        return !isKnown && oldest != null && nowNs - oldest.bornNs >= limits.handshakeNs() ? oldest : null;
    }

    /** The oldest request of a stranger in this listener's backlog, whose place a known peer takes. */
    @Nullable Connection waiting(final SoftCmId listener) {
        for (final Connection one : strangers) {
            final SoftCmId id = one.id;
            if (id != null && id.listener == listener && id.isPending) {
                return one;
            }
        }
        return null;
    }

    /** One of which that is true, or null. */
    @Nullable Connection find(final Predicate<Connection> which) {
        for (final Set<Connection> some : List.of(reserve, strangers)) {
            for (final Connection one : some) {
                if (which.test(one)) {
                    return one;
                }
            }
        }
        return null;
    }

    void add(final Connection connection) {
        assert connection.isPassive && !connection.wasEstablished : "it is not half open";
        (known.isKnown(connection.peer) ? reserve : strangers).add(connection);
        bySource.merge(connection.peer, 1, Integer::sum);
    }

    /** It is established or gone; nothing happens where it is none of these. */
    void remove(final Connection connection) {
        if (strangers.remove(connection) || reserve.remove(connection)) {
            bySource.computeIfPresent(connection.peer, (address, count) -> count == 1 ? null : count - 1);
        }
    }

    /** That peer has answered: what it has half open moves into the reserve. */
    void moveToReserve(final Gid peer) {
        strangers.removeIf(one -> one.peer.equals(peer) && reserve.add(one));
    }

    int size() {
        return strangers.size() + reserve.size();
    }
}
