package io.vhca.bond.verbs;

import io.vhca.api.Errno;
import io.vhca.api.QpInitAttributes;
import io.vhca.api.QueuePair;
import io.vhca.api.VerbsException;
import io.vhca.bond.link.RecoveryPort;
import io.vhca.bond.memory.NativeBlock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What a vQP that is to be created has of its bond: an index, a number, and room on its CQs for all that can complete
 * there at once; while it is being made also the memory of its queues, which is its own once it is made. Control lock.
 */
public final class QpReservation {
    private final BondProtectionDomain pd;
    private final QpInitAttributes init;
    private final BondCompletionQueue sendCq;
    private final BondCompletionQueue recvCq;
    private final int sends;
    private final int recvs;
    private final int index;
    private final int qpNum;
    private @Nullable NativeBlock block;

    private QpReservation(
            final BondProtectionDomain pd,
            final QpInitAttributes init,
            final int sends,
            final int recvs,
            final int index,
            final int qpNum) {
        this.pd = pd;
        this.init = init;
        sendCq = (BondCompletionQueue) init.sendCq();
        recvCq = (BondCompletionQueue) init.recvCq();
        this.sends = sends;
        this.recvs = recvs;
        this.index = index;
        this.qpNum = qpNum;
    }

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
        final QpReservation made = new QpReservation(pd, init, sends, recvs, index, port.qpNum(index));
        made.sendCq.reserve(sends);
        try {
            made.recvCq.reserve(recvs);
        } catch (final VerbsException e) {
            made.sendCq.unreserve(sends);
            throw e;
        }
        return made;
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

    BondProtectionDomain pd() {
        return pd;
    }

    public QpInitAttributes init() {
        return init;
    }

    BondCompletionQueue sendCq() {
        return sendCq;
    }

    BondCompletionQueue recvCq() {
        return recvCq;
    }

    public int index() {
        return index;
    }

    int qpNum() {
        return qpNum;
    }

    /** The memory of its queues, for the queue pair that is being made. */
    NativeBlock allocate(final long bytes) {
        assert block == null : "it is one queue pair's";
        final NativeBlock made = new NativeBlock(pd.scope().core().name(), qpNum, bytes);
        block = made;
        return made;
    }

    /** Makes the queue pair that uses it; where none comes of that all of it is given back. */
    public <Q> Q make(final Supplier<Q> maker) {
        try {
            return maker.get();
        } catch (final RuntimeException | Error e) {
            giveBack(); // as where there is no memory
            if (block != null) {
                block.close();
            }
            throw e;
        }
    }

    /** No queue pair came to use it. */
    private void giveBack() {
        sendCq.unreserve(sends);
        recvCq.unreserve(recvs);
    }

    /** The queue pair is closed. */
    void release(final QueuePair gone) {
        sendCq.release(sends, gone);
        recvCq.release(recvs, gone);
    }
}
