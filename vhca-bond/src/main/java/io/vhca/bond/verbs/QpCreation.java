package io.vhca.bond.verbs;

import io.vhca.api.Context;
import io.vhca.api.Errno;
import io.vhca.api.QpInitAttributes;
import io.vhca.api.VerbsException;
import io.vhca.bond.link.RecoveryPort;
import io.vhca.bond.member.BondLimits;
import io.vhca.bond.member.QueueCapacities;
import java.util.function.Function;

/** Creates connected vQPs, or refuses them: all that one may need later is reserved up front. Control lock. */
public final class QpCreation {
    private final QpTable qps;
    private final AttentionQueue attention;
    private final RecoveryPort port;
    private final Function<BondQueuePair, QpLifecycle> lifecycles;

    /** @param lifecycles creates what connects and recovers a vQP */
    public QpCreation(
            final QpTable qps,
            final AttentionQueue attention,
            final RecoveryPort port,
            final Function<BondQueuePair, QpLifecycle> lifecycles) {
        this.qps = qps;
        this.attention = attention;
        this.port = port;
        this.lifecycles = lifecycles;
    }

    /** Throws EINVAL when a CQ belongs to another context. */
    public static void checkCqs(final Context context, final String object, final QpInitAttributes init) {
        if (!(init.sendCq() instanceof BondCompletionQueue sendCq)
                || !(init.recvCq() instanceof BondCompletionQueue recvCq)
                || sendCq.context() != context
                || recvCq.context() != context) {
            throw new VerbsException(
                    "createQp", Errno.EINVAL, object,
                    "the completion queues belong to another context than the domain");
        }
    }

    /**
     * Creates one.
     *
     * @throws VerbsException EINVAL for what no bond has, ENOMEM where there is no room
     */
    public BondQueuePair create(final BondProtectionDomain pd, final QpInitAttributes init) {
        final Context context = pd.context();
        final String bond = pd.scope().core().name();
        final BondLimits limits = pd.scope().limits();
        final String object = bond + " pd";
        checkCqs(context, object, init);
        final BondCompletionQueue sendCq = (BondCompletionQueue) init.sendCq();
        final BondCompletionQueue recvCq = (BondCompletionQueue) init.recvCq();
        if (init.srq() != null
                && !(init.srq() instanceof BondSharedReceiveQueue srq && srq.pd().context() == context)) {
            throw new VerbsException(
                    "createQp", Errno.EINVAL, object, "the shared receive queue belongs to another context");
        }
        limits.check(object, init.cap());
        final int index = qps.allocateIndex(bond, limits.attributes().maxQp());
        final QueueCapacities room = limits.room(init.cap());
        sendCq.reserve(room.sends());
        try {
            recvCq.reserve(room.recvs());
        } catch (final VerbsException e) {
            sendCq.unreserve(room.sends());
            throw e;
        }
        final BondQueuePair qp = new BondQueuePair(pd, init, index, port.qpNum(index), attention, lifecycles);
        final BondSharedReceiveQueue shared = qp.bondSrq();
        if (shared != null) {
            try {
                shared.use(qp, recvCq);
            } catch (final VerbsException e) {
                sendCq.unreserve(room.sends());
                recvCq.unreserve(room.recvs());
                throw e;
            }
        }
        qps.put(qp);
        return qp;
    }
}
