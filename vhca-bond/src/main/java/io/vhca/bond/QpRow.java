package io.vhca.bond;

import io.vhca.api.QpType;
import io.vhca.bond.core.QpVisitor;
import io.vhca.bond.failover.QpRecovery;
import io.vhca.bond.link.PathLink;
import io.vhca.bond.verbs.BondQueuePair;
import io.vhca.recovery.RecoveryMachine;
import io.vhca.recovery.RecoveryState;

/** What a connected vQP is in a table: a row. Control lock. */
final class QpRow {
    private QpRow() {}

    static void show(final BondQueuePair qp, final QpVisitor visitor) {
        final RecoveryMachine machine = QpRecovery.of(qp).machineOrNull();
        final PathLink link = QpRecovery.of(qp).liveLink();
        final boolean isPlain = machine == null && link != null;
        visitor.onQueuePair(
                qp.index(),
                qp.qpNum(),
                QpType.RC,
                qp.state(),
                isPlain ? null : machine == null ? RecoveryState.IDLE : machine.state(),
                machine == null ? 0 : machine.epoch(),
                link == null ? -1 : link.member().index(),
                link == null ? null : link.remote(),
                qp.sendQueue().postedAtGlance(),
                qp.sendQueue().retired(),
                qp.recvQueue().received());
    }
}
