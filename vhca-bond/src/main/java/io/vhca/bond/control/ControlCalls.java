package io.vhca.bond.control;

import io.vhca.api.NativeMemory;
import io.vhca.api.SendWrDescriptor;
import io.vhca.bond.core.BondCore;
import io.vhca.bond.failover.QpRecovery;
import io.vhca.bond.link.QpIdentity;
import io.vhca.bond.verbs.BondQueuePair;
import io.vhca.bond.verbs.QpTable;
import io.vhca.bond.wire.LedgerWord;
import io.vhca.bond.wire.QpNumDescriptor;
import io.vhca.recovery.FailureReason;
import io.vhca.recovery.SessionId;
import java.nio.ByteBuffer;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What one bond asks the other about a vQP, over a {@link ControlLink}: where the word is that its marks go to,
 * atomics for the other to execute, and what it has received.
 *
 * <pre>
 *   message, big-endian:
 *   0       4       8                  24
 *   | type  | vQPN  | session (16)     | ASK_WORD: nothing
 *                                      | WORD: address u64, virtual key u32
 *                                      | ASK_ATOMIC: sequence u64, opcode u32, virtual key u32, address u64,
 *                                      |             compare or add u64, swap u64
 *                                      | ATOMIC_DONE: sequence u64, status u32, unused u32, value before u64
 *                                      | ASK_COUNTS: nothing
 *                                      | COUNTS: received u64, ledger u64
 * </pre>
 * The vQPN is that of the receiver's own vQP. A question for a session that the receiver does not have, or does not
 * have yet, is not answered; it is asked again. Control lock.
 */
final class ControlCalls {
    private static final int ASK_WORD = 4;
    private static final int WORD = 5;
    private static final int ASK_ATOMIC = 6;
    private static final int ATOMIC_DONE = 7;
    private static final int ASK_COUNTS = 8;
    private static final int COUNTS = 9;
    private static final int SESSION_OFFSET = 8;
    private static final int BODY_OFFSET = SESSION_OFFSET + 2 * Long.BYTES;
    private static final int MOST_BYTES = 64;
    private static final long RETRY_NS = 5_000_000;

    private final BondCore core;
    private final QpTable qps;
    private final ControlActivity activity;
    private final EmulatedAtomics atomics;
    private final Confirmations confirmations;
    private final ControlLink link;
    private final Set<BondQueuePair> wordless = new LinkedHashSet<>();
    private long askedNs;

    ControlCalls(final ControlPlane plane, final ControlLink link) {
        core = plane.verbs().core();
        qps = plane.verbs().qps();
        activity = plane.activity();
        atomics = plane.atomics();
        confirmations = plane.confirmations();
        this.link = link;
    }

    /** Asks for the word of the peer's vQP; the own one goes on when the answer is here. */
    void askWord(final BondQueuePair qp) {
        if (wordless.add(qp)) {
            askedNs = core.nowNs();
            link.say(message(ASK_WORD, qp).array());
        }
    }

    private static ByteBuffer message(final int type, final BondQueuePair qp) {
        final QpIdentity identity = QpRecovery.of(qp).identity();
        return ByteBuffer.allocate(MOST_BYTES)
                .putInt(type)
                .putInt(identity.peerQpNum())
                .putLong(identity.session().hi())
                .putLong(identity.session().lo());
    }

    /** False when the message is of a type that is not known here. */
    boolean onMessage(final int type, final long at) {
        if (type < ASK_WORD || type > COUNTS) {
            return false;
        }
        final BondQueuePair qp = find(getInt(at + Integer.BYTES), at + SESSION_OFFSET);
        if (qp == null) {
            return true;
        }
        final long body = at + BODY_OFFSET;
        activity.spoken(core.nowNs());
        switch (type) {
            case ASK_WORD -> {
                final LedgerWord word = qp.ledger().word();
                link.say(message(WORD, qp).putLong(word.address()).putInt(word.virtualKey()).array());
            }
            case WORD -> {
                if (wordless.remove(qp)) {
                    qp.ledger().found(new LedgerWord(getLong(body), getInt(body + Long.BYTES)));
                    QpRecovery.of(qp).onKeysHeard();
                }
            }
            case ASK_ATOMIC -> onAskAtomic(qp, body);
            case ASK_COUNTS -> onAskCounts(qp);
            case COUNTS -> confirmations.onCounts(qp, getLong(body), getLong(body + Long.BYTES));
            default -> atomics.onResult(qp, getLong(body), getInt(body + Long.BYTES), getLong(body + 2 * Long.BYTES));
        }
        return true;
    }

    /** Asks for an atomic; the request as the application posted it. */
    void askAtomic(
            final BondQueuePair qp, final long sequence, final int opcode, final int virtualKey, final long wr) {
        activity.spoken(core.nowNs());
        link.say(message(ASK_ATOMIC, qp)
                .putLong(sequence)
                .putInt(opcode)
                .putInt(virtualKey)
                .putLong(NativeMemory.getLong(wr + SendWrDescriptor.ATOMIC_REMOTE_ADDR_OFFSET))
                .putLong(NativeMemory.getLong(wr + SendWrDescriptor.ATOMIC_COMPARE_ADD_OFFSET))
                .putLong(NativeMemory.getLong(wr + SendWrDescriptor.ATOMIC_SWAP_OFFSET))
                .array());
    }

    /** Asks what the peer has of the vQP's sends. */
    void askCounts(final BondQueuePair qp) {
        activity.spoken(core.nowNs());
        link.say(message(ASK_COUNTS, qp).array());
    }

    private void onAskCounts(final BondQueuePair qp) {
        if (QpRecovery.of(qp).isAlive()) {
            QpRecovery.of(qp).attachment().collect();
            link.say(message(COUNTS, qp)
                    .putLong(qp.recvQueue().received())
                    .putLong(qp.ledger().marked())
                    .array());
        }
    }

    private void onAskAtomic(final BondQueuePair qp, final long body) {
        final long operands = body + 2 * Long.BYTES;
        final long[] values = {
            getLong(operands), getLong(operands + Long.BYTES), getLong(operands + 2 * Long.BYTES)
        };
        if (atomics.execute(
                qp, getLong(body), getInt(body + Long.BYTES), getInt(body + Long.BYTES + Integer.BYTES), values)) {
            link.say(message(ATOMIC_DONE, qp)
                    .putLong(qp.atomics().executed())
                    .putInt(qp.atomics().status())
                    .putInt(0)
                    .putLong(qp.atomics().result())
                    .array());
            atomics.afterAnswer(qp);
        }
    }

    /** The own vQP of that number, if it has that session. */
    private @Nullable BondQueuePair find(final int qpNum, final long session) {
        final BondQueuePair qp = qps.at(QpNumDescriptor.index(qpNum));
        final SessionId named = new SessionId(getLong(session), getLong(session + Long.BYTES));
        return qp != null && qp.qpNum() == qpNum && named.equals(QpRecovery.of(qp).session()) ? qp : null;
    }

    /** Asks again what was not answered. */
    int doTimers(final long nowNs) {
        if (wordless.isEmpty() || nowNs - askedNs < RETRY_NS) {
            return 0;
        }
        askedNs = nowNs;
        wordless.removeIf(qp -> QpRecovery.of(qp).session() == null);
        if (link.isIdle()) {
            wordless.forEach(this::askAgain);
        }
        return 1;
    }

    private void askAgain(final BondQueuePair qp) {
        if (QpRecovery.of(qp).healthyLink() != null) {
            qp.probe(); // the peer may not know yet that it is connected, or its device may be gone
        }
        link.say(message(ASK_WORD, qp).array());
    }

    /** When {@link #doTimers} has something to do; {@link Long#MAX_VALUE} for never. */
    long nextDeadlineNs() {
        return wordless.isEmpty() ? Long.MAX_VALUE : askedNs + RETRY_NS;
    }

    /** The vQP is gone. */
    void forget(final BondQueuePair qp) {
        wordless.remove(qp);
    }

    /** The link broke for good; see {@link ControlLink#abandon}. */
    void abandon(final long nowNs) {
        for (final BondQueuePair qp : List.copyOf(wordless)) {
            QpRecovery.of(qp).onPathFailure(FailureReason.CONNECT_FAILED, nowNs);
        }
        wordless.clear();
    }

    private static int getInt(final long at) {
        return Integer.reverseBytes(NativeMemory.getInt(at));
    }

    private static long getLong(final long at) {
        return Long.reverseBytes(NativeMemory.getLong(at));
    }
}
