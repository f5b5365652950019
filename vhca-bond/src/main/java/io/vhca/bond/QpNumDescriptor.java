package io.vhca.bond;

/**
 * Layout of a vQPN, and of the word that carries it between bonds.
 *
 * <pre>
 *   31      24 23        14 13            0
 *   | member  | slot       |  vQP index   |
 *             '---------- vQPN -----------'
 * </pre>
 *
 * <p>The slot tells the port at which the vQP's bond listens ({@link RecoveryListener}); the member, which of its
 * members speaks. Only records between bonds carry the member.
 */
final class QpNumDescriptor {
    static final int INDEX_BITS = 14;
    static final int SLOT_BITS = 10;
    static final int MAX_QP = 1 << INDEX_BITS;
    static final int SLOTS = 1 << SLOT_BITS;

    private static final int MEMBER_SHIFT = INDEX_BITS + SLOT_BITS;
    private static final int QP_NUM_MASK = (1 << MEMBER_SHIFT) - 1;

    static {
        if (MEMBER_SHIFT != 24) {
            throw new ExceptionInInitializerError("a QP number has 24 bits, not " + MEMBER_SHIFT);
        }
    }

    private QpNumDescriptor() {}

    static int qpNum(final int slot, final int index) {
        return slot << INDEX_BITS | index;
    }

    static int index(final int qpNum) {
        return qpNum & MAX_QP - 1;
    }

    static int slot(final int qpNum) {
        return qpNum >>> INDEX_BITS & SLOTS - 1;
    }

    /** A vQPN with the index of the member that speaks above it. */
    static int withMember(final int qpNum, final int member) {
        return member << MEMBER_SHIFT | qpNum;
    }

    static int memberOf(final int tagged) {
        return tagged >>> MEMBER_SHIFT;
    }

    static int qpNumOf(final int tagged) {
        return tagged & QP_NUM_MASK;
    }
}
