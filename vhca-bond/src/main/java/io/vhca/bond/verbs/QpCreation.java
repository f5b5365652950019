package io.vhca.bond.verbs;

import io.vhca.api.Errno;
import io.vhca.api.QpInitAttributes;
import io.vhca.api.VerbsException;
import io.vhca.bond.BondContext;
import io.vhca.bond.core.QueueCapacities;
import io.vhca.bond.wire.QpNumDescriptor;

/** Makes a vQP, or refuses it: all that it may need later is reserved up front. Control lock. */
public final class QpCreation {
    private QpCreation() {}

    /** Throws EINVAL when a CQ belongs to another context. */
    public static void checkCqs(final BondContext context, final String object, final QpInitAttributes init) {
        if (!(init.sendCq() instanceof BondCompletionQueue sendCq)
                || !(init.recvCq() instanceof BondCompletionQueue recvCq)
                || sendCq.context() != context
                || recvCq.context() != context) {
            throw new VerbsException(
                    "createQp", Errno.EINVAL, object,
                    "the completion queues belong to another context than the domain");
        }
    }

    static BondQueuePair create(final BondProtectionDomain pd, final QpInitAttributes init) {
        final BondContext context = pd.bond();
        final String object = context.name() + " pd";
        checkCqs(context, object, init);
        final BondCompletionQueue sendCq = (BondCompletionQueue) init.sendCq();
        final BondCompletionQueue recvCq = (BondCompletionQueue) init.recvCq();
        if (init.srq() != null
                && !(init.srq() instanceof BondSharedReceiveQueue srq && srq.pd().context() == context)) {
            throw new VerbsException(
                    "createQp", Errno.EINVAL, object, "the shared receive queue belongs to another context");
        }
        context.limits().check(object, init.cap());
        final int index = context.qps().allocateIndex(context.name(), context.limits().attributes().maxQp());
        final QueueCapacities room = context.limits().room(init.cap());
        sendCq.reserve(room.sends());
        try {
            recvCq.reserve(room.recvs());
        } catch (final VerbsException e) {
            sendCq.unreserve(room.sends());
            throw e;
        }
        final int qpNum = QpNumDescriptor.qpNum(context.listener().slot(), index);
        final BondQueuePair qp = new BondQueuePair(pd, init, index, qpNum);
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
        context.register(qp);
        return qp;
    }
}
