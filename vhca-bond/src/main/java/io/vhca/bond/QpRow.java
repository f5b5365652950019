package io.vhca.bond;

import io.vhca.api.QpType;
import io.vhca.api.QueuePair;
import io.vhca.bond.core.Inspection;
import io.vhca.bond.core.QpVisitor;
import io.vhca.bond.datagram.BondDatagramQp;
import io.vhca.bond.datagram.Datagrams;
import io.vhca.bond.failover.QpRecovery;
import io.vhca.bond.link.PathLink;
import io.vhca.bond.verbs.BondQueuePair;
import io.vhca.bond.verbs.QpTable;
import io.vhca.recovery.RecoveryMachine;
import io.vhca.recovery.RecoveryState;
import org.jspecify.annotations.Nullable;

/** What is known of a connected vQP beyond its queues, and a row a vQP. Control lock. */
final class QpRow {
    private QpRow() {}

    /** Shows the vQPs of {@code count} indexes from {@code first} on; true when there may be others behind. */
    static boolean showAll(
            final QpTable qps, final Datagrams datagrams, final int first, final int count, final QpVisitor visitor) {
        final int end = Math.max(qps.all().length, datagrams.indexes());
        for (int index = first; index < Math.min(end, first + count); index++) {
            final BondQueuePair qp = qps.at(index);
            final BondDatagramQp datagramQp = datagrams.at(index);
            if (qp != null) {
                show(qp, visitor);
            } else if (datagramQp != null) {
                datagramQp.show(visitor);
            }
        }
        return first + count < end;
    }

    /** Says where it lives and how its recovery stands; whether there may be one. */
    static boolean tell(final BondQueuePair qp, final Inspection to) {
        final RecoveryMachine machine = QpRecovery.of(qp).machineOrNull();
        to.value("path", path(qp).isEmpty() ? "none" : path(qp));
        if (!standby(qp).isEmpty()) {
            to.value("standby", standby(qp));
        }
        if (machine != null) {
            to.value("recovery", machine.state());
            to.value("epoch", Integer.toUnsignedString(machine.epoch()));
            to.value("failure", machine.reason());
            to.value("recoveries", machine.recoveries());
        }
        return machine != null;
    }

    /** The path that it lives on, or an empty text. */
    static String path(final BondQueuePair qp) {
        final PathLink link = QpRecovery.of(qp).liveLink();
        return link == null ? "" : link.member().name() + " -> " + link.remote().getHostAddress();
    }

    /** The path that its next recovery can take without the connection manager, or an empty text. */
    static String standby(final BondQueuePair qp) {
        return QpRecovery.of(qp).standbyPath();
    }

    /** Its physical queue pair, or null where it has none now. */
    static @Nullable QueuePair physical(final BondQueuePair qp) {
        return QpRecovery.of(qp).attachment().physical();
    }

    private static void show(final BondQueuePair qp, final QpVisitor visitor) {
        final RecoveryMachine machine = QpRecovery.of(qp).machineOrNull();
        final PathLink link = QpRecovery.of(qp).liveLink();
        visitor.onQueuePair(
                qp.index(),
                qp.qpNum(),
                QpType.RC,
                qp.state(),
                machine == null ? withoutMachine(QpRecovery.of(qp).isPlainClosed(), link) : machine.state(),
                machine == null ? 0 : machine.epoch(),
                link == null ? -1 : link.member().index(),
                link == null ? null : link.remote(),
                qp.sendQueue().postedAtGlance(),
                qp.sendQueue().retired(),
                qp.recvQueue().received());
    }

    /** Null for a connection that never recovers, while it stands. */
    private static @Nullable RecoveryState withoutMachine(final boolean isPlainClosed, final @Nullable PathLink link) {
        if (link != null) {
            return null;
        }
        return isPlainClosed ? RecoveryState.CLOSED : RecoveryState.IDLE;
    }
}
