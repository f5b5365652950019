package io.vhca.bond.wire;

import io.vhca.recovery.wire.MemberId;

/**
 * Layout of a vQPN.
 *
 * <pre>
 *   23   14 13        0
 *   | slot | vQP index |
 * </pre>
 *
 * <p>The slot tells the port at which the vQP's bond listens for recoveries.
 */
public final class QpNumDescriptor {
    static final int INDEX_BITS = 14;
    static final int SLOT_BITS = 10;
    public static final int MAX_QP = 1 << INDEX_BITS;
    public static final int SLOTS = 1 << SLOT_BITS;

    /** As many members as a bond can have. */
    public static final int MAX_MEMBERS = MemberId.MAX_MEMBERS;

    static {
        if (SLOT_BITS + INDEX_BITS != 24) {
            throw new ExceptionInInitializerError("a QP number has 24 bits, not " + (SLOT_BITS + INDEX_BITS));
        }
    }

    private QpNumDescriptor() {}

    public static int qpNum(final int slot, final int index) {
        return slot << INDEX_BITS | index;
    }

    public static int index(final int qpNum) {
        return qpNum & MAX_QP - 1;
    }

    public static int slot(final int qpNum) {
        return qpNum >>> INDEX_BITS & SLOTS - 1;
    }
}
