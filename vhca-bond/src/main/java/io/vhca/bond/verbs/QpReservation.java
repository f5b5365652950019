package io.vhca.bond.verbs;

import io.vhca.api.Errno;
import io.vhca.api.QpInitAttributes;
import io.vhca.api.QueuePair;
import io.vhca.api.VerbsException;
import io.vhca.bond.link.RecoveryPort;
import java.util.function.Supplier;

/**
 * What a vQP that is to be created has of its bond: an index, a number, and room on its CQs for all that can complete
 * there at once. Control lock.
 *
 * @param sends room on the send CQ
 * @param recvs room on the receive CQ
 */
public record QpReservation(
        BondProtectionDomain pd,
        QpInitAttributes init,
        BondCompletionQueue sendCq,
        BondCompletionQueue recvCq,
        int sends,
        int recvs,
        int index,
        int qpNum) {
    /**
     * Reserves it.
     *
     * @throws VerbsException EINVAL for what no member has, ENOMEM where there is no room; nothing is reserved then
     */
    public static QpReservation of(
            final BondProtectionDomain pd,
            final QpInitAttributes init,
            final int sends,
            final int recvs,
            final RecoveryPort port) {
        final VerbsScope scope = pd.scope();
        assert scope.core().holdsLock();
        final String bond = scope.core().name();
        checkCqs(pd, init);
        scope.limits().check(object(pd), init.cap());
        final int index = scope.qps().allocateIndex(bond, scope.limits().attributes().maxQp());
        final BondCompletionQueue sendCq = (BondCompletionQueue) init.sendCq();
        final BondCompletionQueue recvCq = (BondCompletionQueue) init.recvCq();
        sendCq.reserve(sends);
        try {
            recvCq.reserve(recvs);
        } catch (final VerbsException e) {
            sendCq.unreserve(sends);
            throw e;
        }
        return new QpReservation(pd, init, sendCq, recvCq, sends, recvs, index, port.qpNum(index));
    }

    /** Throws EINVAL when a CQ belongs to another context, or is destroyed. */
    public static void checkCqs(final BondProtectionDomain pd, final QpInitAttributes init) {
        if (!(init.sendCq() instanceof BondCompletionQueue sendCq)
                || !(init.recvCq() instanceof BondCompletionQueue recvCq)
                || sendCq.context() != pd.context()
                || recvCq.context() != pd.context()) {
            throw new VerbsException(
                    "createQp", Errno.EINVAL, object(pd),
                    "the completion queues belong to another context than the domain");
        }
        if (sendCq.isClosed() || recvCq.isClosed()) {
            throw new VerbsException("createQp", Errno.EINVAL, object(pd), "a completion queue was destroyed");
        }
    }

    /** What messages of a creation that failed speak of. */
    public static String object(final BondProtectionDomain pd) {
        return pd.scope().core().name() + " pd";
    }

    /** Makes the queue pair that uses it; where none comes of that it is given back. */
    public <Q> Q make(final Supplier<Q> maker) {
        try {
            return maker.get();
        } catch (final RuntimeException | Error e) {
            giveBack(); // as where there is no memory
            throw e;
        }
    }

    /** No queue pair came to use it. */
    void giveBack() {
        sendCq.unreserve(sends);
        recvCq.unreserve(recvs);
    }

    /** The queue pair is closed. */
    void release(final QueuePair gone) {
        sendCq.release(sends, gone);
        recvCq.release(recvs, gone);
    }
}
