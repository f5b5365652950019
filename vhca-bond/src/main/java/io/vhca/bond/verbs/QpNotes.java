package io.vhca.bond.verbs;

import io.vhca.recovery.wire.FailureReason;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/** What the data path found out about a vQP and the control thread is to deal with. Any thread. */
public final class QpNotes {
    public static final int PATH_FAILURE = 1;
    public static final int APPLICATION_ERROR = 1 << 1;
    public static final int MARKER = 1 << 2;
    public static final int KEY_MISSING = 1 << 3;
    public static final int POSTED_IN_ERROR = 1 << 4;
    public static final int ATOMIC = 1 << 5;
    public static final int UNCONFIRMED = 1 << 6;
    public static final int DESTINATION_MISSING = 1 << 7;
    public static final int OVERRUN = 1 << 8;

    private static final VarHandle BITS;

    static {
        try {
            BITS = MethodHandles.lookup().findVarHandle(QpNotes.class, "bits", int.class);
        } catch (final ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final Runnable attention;
    private volatile FailureReason failure = FailureReason.NONE;
    private volatile int missingKey;

    @SuppressWarnings({"unused", "FieldCanBeFinal", "FieldMayBeFinal"}) // accessed through BITS
    private volatile int bits;

    /** @param attention run when there is a note, once until it is taken */
    public QpNotes(final Runnable attention) {
        this.attention = attention;
    }

    public void add(final int bit) {
        if ((int) BITS.getAndBitwiseOr(this, bit) == 0) {
            attention.run();
        }
    }

    public void addPathFailure(final FailureReason reason) {
        failure = reason;
        add(PATH_FAILURE);
    }

    public void addMissingKey(final int virtualKey) {
        missingKey = virtualKey;
        add(KEY_MISSING);
    }

    /** Takes and clears the bits. */
    public int take() {
        return (int) BITS.getAndSet(this, 0);
    }

    /** Why the physical QP in use failed, or NONE. */
    public FailureReason failure() {
        return failure;
    }

    /** Another physical QP is in use: what failed on the one before does not matter. */
    public void forgetFailure() {
        failure = FailureReason.NONE;
    }

    /** The vQP begins another life: only what was written beyond its memory stays true. */
    void forget() {
        final int unused = (int) BITS.getAndBitwiseAnd(this, OVERRUN);
    }

    public int missingKey() {
        return missingKey;
    }
}
