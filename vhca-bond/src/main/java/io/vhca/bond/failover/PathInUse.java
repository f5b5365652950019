package io.vhca.bond.failover;

import io.vhca.api.ServiceClass;
import io.vhca.bond.link.PathLink;
import io.vhca.bond.link.RemotePaths;
import io.vhca.bond.verbs.BondQueuePair;
import io.vhca.bond.verbs.QpTable;
import io.vhca.recovery.PathId;
import java.net.InetAddress;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One way from this bond to a peer's, as healthy vQPs use it: those of another class have another one, which the fabric
 * may hold or drop by itself.
 */
record PathInUse(long peer, int member, InetAddress remote, ServiceClass service) {
    /** The path that a healthy vQP uses, or null. Control lock. */
    static @Nullable PathInUse of(final BondQueuePair qp) {
        final PathLink link = QpRecovery.of(qp).healthyLink();
        return link == null
                ? null
                : new PathInUse(
                        QpRecovery.of(qp).identity().peer().instance(), link.member().index(), link.remote(),
                        qp.settings().serviceClass());
    }

    /** Every one, with one of the vQPs on it. Control lock. */
    static Map<PathInUse, QpRecovery> all(final QpTable qps) {
        final Map<PathInUse, QpRecovery> found = new LinkedHashMap<>();
        for (final @Nullable BondQueuePair qp : qps.all()) {
            final PathInUse path = qp == null ? null : of(qp);
            if (path != null && qp != null) {
                found.putIfAbsent(path, QpRecovery.of(qp));
            }
        }
        return found;
    }

    /** Whether it leads from where the other one does to where that does, be it for another class. */
    boolean isBeside(final PathInUse other) {
        return peer == other.peer && member == other.member && remote.equals(other.remote);
    }

    /**
     * The one that it is compared with, between the same bonds, even one that failed lately: the answer tells. Null
     * where there is none. Control lock.
     */
    @Nullable PathInUse elsewhere(final QpRecovery recovery, final long nowNs) {
        final RemotePaths paths = recovery.paths();
        paths.refresh();
        final PathId other = paths.table().standby(new PathId(member, paths.indexOf(remote)), nowNs);
        return other == null
                ? null
                : new PathInUse(peer, other.localMember(), paths.address(other.remoteAddress()), service);
    }
}
