package io.vhca.bond.wire;

/**
 * Layout of a vQPN, and of the word that carries it between bonds.
 *
 * <pre>
 *   31         28 27     24 23        14 13            0
 *   | generation | member  | slot       |  vQP index   |
 *                          '---------- vQPN -----------'
 * </pre>
 *
 * <p>The slot tells the port at which the vQP's bond listens for recoveries; the member, which of its members
 * speaks; the generation, how often a device came to that member's index, by its low bits: keys of another generation
 * are void. Only records between bonds carry member and generation.
 */
public final class QpNumDescriptor {
    static final int INDEX_BITS = 14;
    static final int SLOT_BITS = 10;
    public static final int MAX_QP = 1 << INDEX_BITS;
    public static final int SLOTS = 1 << SLOT_BITS;

    static final int MEMBER_BITS = 4;
    public static final int MAX_MEMBERS = 1 << MEMBER_BITS;
    static final int GENERATION_BITS = 4;

    private static final int MEMBER_SHIFT = INDEX_BITS + SLOT_BITS;
    private static final int GENERATION_SHIFT = MEMBER_SHIFT + MEMBER_BITS;
    private static final int GENERATION_MASK = (1 << GENERATION_BITS) - 1;
    private static final int QP_NUM_MASK = (1 << MEMBER_SHIFT) - 1;

    static {
        if (MEMBER_SHIFT != 24) {
            throw new ExceptionInInitializerError("a QP number has 24 bits, not " + MEMBER_SHIFT);
        }
        if (GENERATION_SHIFT + GENERATION_BITS != Integer.SIZE) {
            throw new ExceptionInInitializerError("member and generation do not fill the word");
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

    /** A vQPN with the index of the member that speaks, and its generation, above it. */
    public static int withMember(final int qpNum, final int member, final int generation) {
        return generation << GENERATION_SHIFT | member << MEMBER_SHIFT | qpNum;
    }

    public static int memberOf(final int tagged) {
        return tagged >>> MEMBER_SHIFT & MAX_MEMBERS - 1;
    }

    public static int generationOf(final int tagged) {
        return tagged >>> GENERATION_SHIFT;
    }

    /** How often a device came back, as records carry it. */
    public static int generation(final int occupancies) {
        return occupancies & GENERATION_MASK;
    }

    public static int qpNumOf(final int tagged) {
        return tagged & QP_NUM_MASK;
    }
}
