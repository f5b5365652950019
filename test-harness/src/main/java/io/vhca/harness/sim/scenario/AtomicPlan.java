package io.vhca.harness.sim.scenario;

import io.vhca.api.WrOpcode;

/**
 * Operands of one direction's atomics, and their results. They address two words at the receiver: one is this
 * direction's alone. The other is shared by all connections to that side, each of which adds ones to sixteen bits of
 * its own.
 */
public final class AtomicPlan {
    private static final int FIELD_BITS = 16;
    private static final long FIELD_MASK = (1L << FIELD_BITS) - 1;

    private final int shift;
    private final boolean[] isAtomic;
    private final boolean[] isCommon;
    private final long[] compareAdd;
    private final long[] swap;
    /** The own word, and this connection's part of the common one, after the first n operations. */
    private final long[] own;

    private final long[] common;
    private boolean isUsed;

    AtomicPlan(final int capacity, final int qpIndex, final long firstOwn) {
        shift = qpIndex * FIELD_BITS;
        isAtomic = new boolean[capacity];
        isCommon = new boolean[capacity];
        compareAdd = new long[capacity];
        swap = new long[capacity];
        own = new long[capacity + 1];
        common = new long[capacity + 1];
        own[0] = firstOwn;
    }

    /** Operation {@code op} is something else. */
    void addNone(final int op) {
        own[op + 1] = own[op];
        common[op + 1] = common[op];
    }

    /**
     * Operation {@code op} is an atomic; three of four comparisons hold.
     *
     * @param isOnCommon on the word that all connections share, by FETCH_ADD only
     */
    void add(final int op, final WrOpcode opcode, final boolean isOnCommon, final long key) {
        addNone(op);
        isUsed = true;
        isAtomic[op] = true;
        isCommon[op] = isOnCommon;
        if (isOnCommon) {
            compareAdd[op] = 1L << shift;
            common[op + 1]++;
        } else if (opcode == WrOpcode.ATOMIC_FETCH_AND_ADD) {
            compareAdd[op] = key;
            own[op + 1] += key;
        } else {
            final boolean isEqual = (key & 3) != 0;
            compareAdd[op] = isEqual ? own[op] : ~own[op];
            swap[op] = key;
            own[op + 1] = isEqual ? key : own[op];
        }
    }

    public boolean isUsed() {
        return isUsed;
    }

    public boolean isAtomic(final int op) {
        return isAtomic[op];
    }

    public boolean isOnCommon(final int op) {
        return isCommon[op];
    }

    public long compareAdd(final int op) {
        return compareAdd[op];
    }

    public long swap(final int op) {
        return swap[op];
    }

    /** What an atomic finds, of a result or of a word: this connection's part. */
    public long part(final boolean isOfCommon, final long word) {
        return isOfCommon ? word >>> shift & FIELD_MASK : word;
    }

    /** The common word with this connection's part as it is before the first operation. */
    public long cleared(final long word) {
        return word & ~(FIELD_MASK << shift);
    }

    /** This connection's part of a word after the first {@code end} operations. */
    public long after(final boolean isOfCommon, final int end) {
        return isOfCommon ? common[end] : own[end];
    }
}
