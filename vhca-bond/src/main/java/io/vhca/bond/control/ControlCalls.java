package io.vhca.bond.control;

import io.vhca.api.NativeMemory;
import io.vhca.api.SendWrDescriptor;
import io.vhca.bond.core.BondCore;
import io.vhca.bond.failover.QpRecovery;
import io.vhca.bond.verbs.BondQueuePair;
import io.vhca.bond.verbs.QpTable;
import io.vhca.bond.wire.LedgerWord;
import io.vhca.recovery.wire.FailureReason;
import io.vhca.recovery.wire.SessionId;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What one bond asks the other about a vQP, over a {@link ControlLink}: where the word is that its marks go to,
 * atomics for the other to execute, and what it has received.
 *
 * <p>The vQPN is that of the receiver's own vQP. A question for a session that the receiver does not have, or does not
 * have yet, is not answered; it is asked again. Control lock.
 */
final class ControlCalls {
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
        assert core.holdsLock();
        if (wordless.add(qp)) {
            askedNs = core.nowNs();
            link.say(message(ControlMessageDescriptor.ASK_WORD, qp));
        }
    }

    private static ControlMessage message(final int type, final BondQueuePair qp) {
        return ControlMessage.of(type, QpRecovery.of(qp).identity());
    }

    /** A message about a vQP. */
    void onMessage(final ControlMessage message) {
        assert core.holdsLock();
        final BondQueuePair qp = find(message);
        if (qp == null) {
            return;
        }
        if (message.type() != ControlMessageDescriptor.SESSION) {
            activity.spoken(core.stageClock().nanoTime());
        }
        switch (message.type()) {
            case ControlMessageDescriptor.ASK_WORD -> onAskWord(qp);
            case ControlMessageDescriptor.WORD -> {
                if (wordless.remove(qp)) {
                    qp.ledger()
                            .found(new LedgerWord(
                                    message.getLong(ControlMessageDescriptor.WORD_ADDRESS_OFFSET),
                                    message.getInt(ControlMessageDescriptor.WORD_KEY_OFFSET)));
                    QpRecovery.of(qp).onKeysHeard();
                }
            }
            case ControlMessageDescriptor.ASK_ATOMIC -> onAskAtomic(qp, message);
            case ControlMessageDescriptor.ASK_COUNTS -> onAskCounts(qp);
            case ControlMessageDescriptor.SESSION -> link.proves(qp);
            case ControlMessageDescriptor.COUNTS -> confirmations.onCounts(
                    qp,
                    message.getLong(ControlMessageDescriptor.RECEIVED_OFFSET),
                    message.getLong(ControlMessageDescriptor.LEDGER_OFFSET));
            case ControlMessageDescriptor.ATOMIC_DONE -> atomics.onResult(
                    qp,
                    message.getLong(ControlMessageDescriptor.SEQUENCE_OFFSET),
                    message.getInt(ControlMessageDescriptor.STATUS_OFFSET),
                    message.getLong(ControlMessageDescriptor.BEFORE_OFFSET));
            default -> throw new IllegalArgumentException("message of type " + message.type() + " is of no vQP");
        }
    }

    /** Where a member has no room for the word there is no answer as yet: it is asked for again. */
    private void onAskWord(final BondQueuePair qp) {
        final LedgerWord word = qp.ledger().word();
        if (word != null) {
            link.say(message(ControlMessageDescriptor.WORD, qp)
                    .putLong(ControlMessageDescriptor.WORD_ADDRESS_OFFSET, word.address())
                    .putInt(ControlMessageDescriptor.WORD_KEY_OFFSET, word.virtualKey()));
        }
    }

    /** Asks for an atomic; the request as the application posted it. */
    void askAtomic(
            final BondQueuePair qp, final long sequence, final int opcode, final int virtualKey, final long wr) {
        assert core.holdsLock();
        activity.spoken(core.stageClock().nanoTime());
        link.say(message(ControlMessageDescriptor.ASK_ATOMIC, qp)
                .putLong(ControlMessageDescriptor.SEQUENCE_OFFSET, sequence)
                .putInt(ControlMessageDescriptor.OPCODE_OFFSET, opcode)
                .putInt(ControlMessageDescriptor.ATOMIC_KEY_OFFSET, virtualKey)
                .putLong(
                        ControlMessageDescriptor.ATOMIC_ADDRESS_OFFSET,
                        NativeMemory.getLong(wr + SendWrDescriptor.ATOMIC_REMOTE_ADDR_OFFSET))
                .putLong(
                        ControlMessageDescriptor.COMPARE_ADD_OFFSET,
                        NativeMemory.getLong(wr + SendWrDescriptor.ATOMIC_COMPARE_ADD_OFFSET))
                .putLong(
                        ControlMessageDescriptor.SWAP_OFFSET,
                        NativeMemory.getLong(wr + SendWrDescriptor.ATOMIC_SWAP_OFFSET)));
    }

    /** Asks what the peer has of the vQP's sends. */
    void askCounts(final BondQueuePair qp) {
        assert core.holdsLock();
        activity.spoken(core.stageClock().nanoTime());
        link.say(message(ControlMessageDescriptor.ASK_COUNTS, qp));
    }

    private void onAskCounts(final BondQueuePair qp) {
        if (QpRecovery.of(qp).isAlive()) {
            QpRecovery.of(qp).attachment().collect();
            link.say(message(ControlMessageDescriptor.COUNTS, qp)
                    .putLong(
                            ControlMessageDescriptor.RECEIVED_OFFSET, qp.recvQueue().received())
                    .putLong(
                            ControlMessageDescriptor.LEDGER_OFFSET, qp.ledger().marked()));
        }
    }

    private void onAskAtomic(final BondQueuePair qp, final ControlMessage message) {
        final long[] operands = {
            message.getLong(ControlMessageDescriptor.ATOMIC_ADDRESS_OFFSET),
            message.getLong(ControlMessageDescriptor.COMPARE_ADD_OFFSET),
            message.getLong(ControlMessageDescriptor.SWAP_OFFSET)
        };
        if (atomics.execute(
                qp,
                message.getLong(ControlMessageDescriptor.SEQUENCE_OFFSET),
                message.getInt(ControlMessageDescriptor.OPCODE_OFFSET),
                message.getInt(ControlMessageDescriptor.ATOMIC_KEY_OFFSET),
                operands)) {
            link.say(message(ControlMessageDescriptor.ATOMIC_DONE, qp)
                    .putLong(
                            ControlMessageDescriptor.SEQUENCE_OFFSET, qp.atomics().executed())
                    .putInt(ControlMessageDescriptor.STATUS_OFFSET, qp.atomics().status())
                    .putLong(ControlMessageDescriptor.BEFORE_OFFSET, qp.atomics().result()));
            atomics.afterAnswer(qp);
        }
    }

    /** The own vQP that a message names, if it has that session. */
    private @Nullable BondQueuePair find(final ControlMessage message) {
        final BondQueuePair qp = qps.byNum(message.getInt(ControlMessageDescriptor.QP_NUM_OFFSET));
        final SessionId session = qp == null ? null : QpRecovery.of(qp).session();
        return session != null && link.shown(session).isShownBy(message.session()) ? qp : null;
    }

    /** Asks again what was not answered. */
    int doTimers(final long nowNs) {
        assert core.holdsLock();
        if (wordless.isEmpty() || nowNs - askedNs < RETRY_NS) {
            return 0;
        }
        askedNs = nowNs;
        wordless.removeIf(qp -> !QpRecovery.of(qp).isAlive());
        if (link.isIdle()) {
            wordless.forEach(this::askAgain);
        }
        return 1;
    }

    private void askAgain(final BondQueuePair qp) {
        if (QpRecovery.of(qp).healthyLink() != null) {
            qp.probe(); // the peer may not know yet that it is connected, or its device may be gone
        }
        link.say(message(ControlMessageDescriptor.ASK_WORD, qp));
    }

    /** When {@link #doTimers} has something to do, or the other time where that is earlier. */
    long earlier(final long otherNs) {
        final long ownNs = askedNs + RETRY_NS;
        final boolean isOther = wordless.isEmpty() || otherNs != Long.MAX_VALUE && otherNs - ownNs < 0;
        return isOther ? otherNs : ownNs;
    }

    /** The vQP is gone. */
    void forget(final BondQueuePair qp) {
        assert core.holdsLock();
        wordless.remove(qp);
    }

    /** The link broke for good; see {@link ControlLink#abandon}. */
    void abandon(final long nowNs) {
        assert core.holdsLock();
        for (final BondQueuePair qp : List.copyOf(wordless)) {
            QpRecovery.of(qp).onPathFailure(FailureReason.CONNECT_FAILED, nowNs);
        }
        wordless.clear();
    }
}
