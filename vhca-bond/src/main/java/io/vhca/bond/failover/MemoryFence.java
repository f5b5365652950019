package io.vhca.bond.failover;

import io.vhca.api.AsyncEvent;
import io.vhca.api.AsyncEventType;
import io.vhca.bond.core.BondCore;
import io.vhca.bond.verbs.BondQueuePair;
import io.vhca.recovery.BondError;

/**
 * Takes a connected vQP out of service whose native memory somebody wrote beyond: what its slots hold may be garbage,
 * so hardware is given nothing more of it, and loses what it has. Every other vQP goes on. Control lock.
 */
public final class MemoryFence {
    private static final BondError ERROR = BondError.MEMORY_OVERRUN;

    private MemoryFence() {}

    /** Fences one, where its markers are broken; its first unfinished request completes with the named error. */
    public static void fence(final BondCore core, final BondQueuePair qp) {
        assert core.holdsLock();
        if (qp.damage().isEmpty()) {
            return; // closed since
        }
        qp.tellOverrun();
        final QpRecovery recovery = QpRecovery.of(qp);
        final boolean isAlive = recovery.isAlive();
        if (isAlive) {
            // First: who hears of it looks at the counters.
            recovery.countFailed(ERROR);
        }
        core.events().applicationError(qp.qpNum(), ERROR.status().code(), ERROR.vendorErr());
        if (isAlive) {
            recovery.attachment().pollIntoOwed();
            recovery.attachment().drop();
            qp.holdBack(false);
            qp.completeOwed(qp.sendQueue().doneSeq());
            qp.announceError();
            qp.completeInError(ERROR.status().code(), ERROR.vendorErr());
            core.raise(AsyncEvent.ofQp(AsyncEventType.QP_FATAL, qp));
        }
        recovery.onApplicationAbort();
    }
}
