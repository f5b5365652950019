package io.vhca.bond.verbs;

import io.vhca.api.Errno;
import io.vhca.api.QpInitAttributes;
import io.vhca.api.VerbsException;
import io.vhca.bond.link.RecoveryPort;
import io.vhca.bond.member.QueueCapacities;
import java.util.function.Function;

/** Creates connected vQPs, or refuses them: all that one may need later is reserved up front. Control lock. */
public final class QpCreation {
    private final QpTable qps;
    private final AttentionQueue<BondQueuePair> attention;
    private final RecoveryPort port;
    private final Function<BondQueuePair, QpLifecycle> lifecycles;

    /** @param lifecycles creates what connects and recovers a vQP */
    public QpCreation(
            final QpTable qps,
            final AttentionQueue<BondQueuePair> attention,
            final RecoveryPort port,
            final Function<BondQueuePair, QpLifecycle> lifecycles) {
        this.qps = qps;
        this.attention = attention;
        this.port = port;
        this.lifecycles = lifecycles;
    }

    /**
     * Creates one.
     *
     * @throws VerbsException EINVAL for what no bond has, ENOMEM where there is no room
     */
    public BondQueuePair create(final BondProtectionDomain pd, final QpInitAttributes init) {
        QpReservation.checkCqs(pd, init);
        if (init.srq() != null && !(init.srq() instanceof BondSharedReceiveQueue srq && srq.pd() == pd)) {
            throw new VerbsException(
                    "createQp", Errno.EINVAL, QpReservation.object(pd),
                    init.srq() + " belongs to another protection domain; create both with the same one");
        }
        if (init.srq() instanceof final BondSharedReceiveQueue gone && gone.isClosed()) {
            throw new VerbsException(
                    "createQp", Errno.EINVAL, QpReservation.object(pd), "the shared receive queue was destroyed");
        }
        final QueueCapacities room = pd.scope().limits().room(init.cap());
        final QpReservation reservation = QpReservation.of(pd, init, room.sends(), room.recvs(), port);
        final BondQueuePair qp = reservation.make(() -> make(reservation, room));
        qps.put(qp);
        qp.begin();
        return qp;
    }

    private BondQueuePair make(final QpReservation reservation, final QueueCapacities room) {
        final BondQueuePair qp = new BondQueuePair(reservation, room, attention, lifecycles);
        final BondSharedReceiveQueue shared = qp.bondSrq();
        if (shared != null) {
            shared.use(qp, qp.bondRecvCq());
        }
        return qp;
    }
}
