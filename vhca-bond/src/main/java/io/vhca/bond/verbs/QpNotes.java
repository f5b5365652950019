package io.vhca.bond.verbs;

import io.vhca.bond.BondContext;
import io.vhca.bond.failover.QpRecovery;
import io.vhca.recovery.FailureReason;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/** What the data path found out about a vQP and the control thread is to deal with. Any thread. */
public final class QpNotes {
    static final int PATH_FAILURE = 1;
    static final int APPLICATION_ERROR = 1 << 1;
    static final int MARKER = 1 << 2;
    static final int KEY_MISSING = 1 << 3;
    static final int POSTED_IN_ERROR = 1 << 4;
    static final int ATOMIC = 1 << 5;
    static final int UNCONFIRMED = 1 << 6;

    private static final VarHandle BITS;

    static {
        try {
            BITS = MethodHandles.lookup().findVarHandle(QpNotes.class, "bits", int.class);
        } catch (final ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final BondQueuePair qp;
    private final BondContext context;
    private volatile FailureReason failure = FailureReason.NONE;
    private volatile int missingKey;

    @SuppressWarnings({"unused", "FieldCanBeFinal", "FieldMayBeFinal"}) // accessed through BITS
    private volatile int bits;

    QpNotes(final BondQueuePair qp, final BondContext context) {
        this.qp = qp;
        this.context = context;
    }

    void add(final int bit) {
        if ((int) BITS.getAndBitwiseOr(this, bit) == 0) {
            context.attention(qp);
        }
    }

    void addPathFailure(final FailureReason reason) {
        failure = reason;
        add(PATH_FAILURE);
    }

    void addMissingKey(final int virtualKey) {
        missingKey = virtualKey;
        add(KEY_MISSING);
    }

    /** Takes and clears the bits. */
    int take() {
        return (int) BITS.getAndSet(this, 0);
    }

    /** Why the physical QP in use failed, or NONE. */
    FailureReason failure() {
        return failure;
    }

    /** Another physical QP is in use: what befell the one before is of no account. */
    void forgetFailure() {
        failure = FailureReason.NONE;
    }

    public int missingKey() {
        return missingKey;
    }

    /** Deals with what was taken; nothing is left to do for a vQP that is over, or not connected yet. Control lock. */
    public void handle(final int taken, final long nowNs) {
        final QpRecovery recovery = qp.recovery();
        if (!recovery.isAlive()) {
            return;
        }
        if ((taken & APPLICATION_ERROR) != 0) {
            recovery.onApplicationError(nowNs);
            return;
        }
        final FailureReason reason = failure;
        // None: what was noted happened to a physical queue pair that is not in use any more.
        if ((taken & PATH_FAILURE) != 0 && reason != FailureReason.NONE) {
            if (reason == FailureReason.HEARTBEAT) {
                context.conductor().vigil().pathLost(qp, nowNs);
            } else {
                recovery.onPathFailure(reason, nowNs);
            }
        }
        if ((taken & KEY_MISSING) != 0) {
            context.controlPlane().resolve(qp);
        }
        if ((taken & ATOMIC) != 0) {
            context.conductor().atomics().begin(qp);
        }
        if ((taken & UNCONFIRMED) != 0) {
            context.conductor().confirmations().begin(qp, nowNs);
        }
        recovery.tryDrain();
    }
}
