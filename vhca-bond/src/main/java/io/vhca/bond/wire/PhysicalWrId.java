package io.vhca.bond.wire;

/**
 * The {@code wr_id} that the bond gives to physical work requests: it finds the virtual QP without a look-up, and tells
 * completions of an earlier physical QP from those of the present one.
 *
 * <pre>
 *   63      60 59          44 43            24 23                0
 *   |  kind   | incarnation  |  vQP index     |  sequence         |
 * </pre>
 *
 * <p>Incarnation counts the physical QPs that the virtual one has had; sequence is the low part of the 64-bit one,
 * wide enough for any ring ({@link #MAX_RING}).
 */
public final class PhysicalWrId {
    public static final int KIND_SEND = 1;
    public static final int KIND_RECV = 2;
    public static final int KIND_SEND_MARKER = 3;
    public static final int KIND_RECV_MARKER = 4;
    public static final int KIND_PROBE = 5;
    public static final int KIND_MARK = 6;
    /**
     * Requests of a vQP for datagrams: where the index of a connected vQP stands, its own stands above all those, so
     * that none is found by mistake.
     */
    public static final int KIND_DATAGRAM_SEND = 7;

    public static final int KIND_DATAGRAM_RECV = 8;
    /** A receive of a vSRQ: its index and slot stand where those of a vQP do, the physical SRQ's generation as well. */
    public static final int KIND_SHARED = 15;

    public static final int MAX_QP_INDEX = (1 << 20) - 1;
    public static final int MAX_RING = 1 << 22;

    private static final int SEQUENCE_BITS = 24;
    private static final int INDEX_BITS = 20;
    private static final int INCARNATION_BITS = 16;
    private static final int KIND_BITS = 4;
    private static final long SEQUENCE_MASK = (1L << SEQUENCE_BITS) - 1;

    static {
        if (SEQUENCE_BITS + INDEX_BITS + INCARNATION_BITS + KIND_BITS != Long.SIZE) {
            throw new ExceptionInInitializerError("the fields of a physical wr_id do not fill it");
        }
        if (MAX_QP_INDEX != (1 << INDEX_BITS) - 1 || MAX_RING > 1 << SEQUENCE_BITS - 1) {
            throw new ExceptionInInitializerError("an index or a ring is wider than its field of a physical wr_id");
        }
    }

    private PhysicalWrId() {}

    /** Everything but the sequence. */
    public static long prefix(final int kind, final int incarnation, final int qpIndex) {
        return (long) kind << SEQUENCE_BITS + INDEX_BITS + INCARNATION_BITS
                | (long) (incarnation & 0xFFFF) << SEQUENCE_BITS + INDEX_BITS
                | (long) qpIndex << SEQUENCE_BITS;
    }

    public static long of(final long prefix, final long sequence) {
        return prefix | sequence & SEQUENCE_MASK;
    }

    /** Whether all but the sequence is that prefix. */
    public static boolean isOf(final long wrId, final long prefix) {
        return (wrId ^ prefix) >>> SEQUENCE_BITS == 0;
    }

    public static int kind(final long wrId) {
        return (int) (wrId >>> SEQUENCE_BITS + INDEX_BITS + INCARNATION_BITS);
    }

    public static int incarnation(final long wrId) {
        return (int) (wrId >>> SEQUENCE_BITS + INDEX_BITS) & 0xFFFF;
    }

    public static int qpIndex(final long wrId) {
        return (int) (wrId >>> SEQUENCE_BITS) & MAX_QP_INDEX;
    }

    /** The slot of a shared receive. */
    public static int slot(final long wrId) {
        return (int) (wrId & SEQUENCE_MASK);
    }

    /** The full sequence: the one at or after {@code from} whose low bits are those of {@code wrId}. */
    public static long sequence(final long wrId, final long from) {
        return from + ((wrId - from) & SEQUENCE_MASK);
    }
}
