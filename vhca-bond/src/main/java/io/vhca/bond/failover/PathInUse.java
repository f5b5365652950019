package io.vhca.bond.failover;

import io.vhca.bond.link.PathLink;
import io.vhca.bond.verbs.BondQueuePair;
import java.net.InetAddress;
import org.jspecify.annotations.Nullable;

/** One way from this bond to a peer's, as healthy vQPs use it. */
record PathInUse(long peer, int member, InetAddress remote) {
    /** The path that a healthy vQP uses, or null. Control lock. */
    static @Nullable PathInUse of(final BondQueuePair qp) {
        final PathLink link = QpRecovery.of(qp).healthyLink();
        return link == null
                ? null
                : new PathInUse(
                        QpRecovery.of(qp).identity().peer().instance(), link.member().index(), link.remote());
    }
}
