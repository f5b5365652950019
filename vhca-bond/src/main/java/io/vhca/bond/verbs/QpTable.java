package io.vhca.bond.verbs;

import io.vhca.api.Errno;
import io.vhca.api.VerbsException;
import io.vhca.bond.wire.QpNumDescriptor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The queue pairs of a bond by their index. Written with the control lock held; read without it, from the data path
 * too.
 */
public final class QpTable {
    private volatile @Nullable BondQueuePair[] qps = new BondQueuePair[16];
    /** Indexes of all queue pairs, of those for datagrams too. */
    private final BitSet taken = new BitSet();

    private int nextIndex;
    private int count;
    private final List<Consumer<BondQueuePair>> removed = new ArrayList<>();
    private final List<Consumer<BondQueuePair>> reset = new ArrayList<>();

    /** The vQP of an index, or null. */
    public @Nullable BondQueuePair at(final int index) {
        final @Nullable BondQueuePair[] table = qps;
        return index < table.length ? table[index] : null;
    }

    /** The vQP of a number, or null: wrong slot, or no such QP. */
    public @Nullable BondQueuePair byNum(final int qpNum) {
        final BondQueuePair qp = at(QpNumDescriptor.index(qpNum));
        return qp != null && qp.qpNum() == qpNum ? qp : null;
    }

    /** Every vQP by index, with gaps; not to be written. */
    public @Nullable BondQueuePair[] all() {
        return qps;
    }

    /**
     * A free index. Given out in turn, so that a number is not met again soon after its QP is gone.
     *
     * @param bond for the message when there are {@code limit} queue pairs already
     */
    public int allocateIndex(final String bond, final int limit) {
        if (count >= limit) {
            throw new VerbsException(
                    "createQp", Errno.ENOMEM, bond, "all " + limit + " queue pairs are in use");
        }
        do {
            nextIndex = nextIndex + 1 & QpNumDescriptor.MAX_QP - 1;
        } while (taken.get(nextIndex));
        return nextIndex;
    }

    public void put(final BondQueuePair qp) {
        publish(qp.index(), qp);
        take(qp.index());
    }

    public void remove(final BondQueuePair qp) {
        publish(qp.index(), null);
        free(qp.index());
        removed.forEach(listener -> listener.accept(qp));
    }

    /** Who is told of each vQP that is closed, in the order of the calls. */
    public void onRemoved(final Consumer<BondQueuePair> listener) {
        removed.add(listener);
    }

    /** A vQP is in RESET: its session is over, and it may begin another one. */
    void reset(final BondQueuePair qp) {
        reset.forEach(listener -> listener.accept(qp));
    }

    /** Who is told of each vQP that is in RESET again, in the order of the calls. */
    public void onReset(final Consumer<BondQueuePair> listener) {
        reset.add(listener);
    }

    /** An index is in use. */
    public void take(final int index) {
        taken.set(index);
        count++;
    }

    /** An index is free again. */
    public void free(final int index) {
        taken.clear(index);
        count--;
    }

    /** Readers take the array without the lock: the volatile store makes the new entry visible to them. */
    private void publish(final int index, final @Nullable BondQueuePair qp) {
        final @Nullable BondQueuePair[] old = qps;
        final @Nullable BondQueuePair[] table =
                index < old.length ? old : Arrays.copyOf(old, Integer.highestOneBit(index) * 2);
        table[index] = qp;
        qps = table;
    }
}
