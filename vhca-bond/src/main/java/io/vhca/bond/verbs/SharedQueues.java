package io.vhca.bond.verbs;

import io.vhca.api.Errno;
import io.vhca.api.NativeMemory;
import io.vhca.api.VerbsException;
import io.vhca.api.WcDescriptor;
import io.vhca.api.WcStatus;
import io.vhca.bond.core.DutyCycle;
import io.vhca.bond.core.EarliestDeadline;
import io.vhca.bond.wire.PhysicalWrId;
import io.vhca.bond.wire.QpNumDescriptor;
import io.vhca.recovery.wire.FailureReason;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The vSRQs of a bond by index, and what a completion means that is not of a connected vQP's own queues. Written with
 * the control lock held; read from inside CQs' gates.
 */
public final class SharedQueues implements DutyCycle {
    /** Where the index of a vQP stands in a wr_id, that of a vSRQ is larger than any: no vQP is found by mistake. */
    private static final int BASE = QpNumDescriptor.MAX_QP;

    private static final int MOST = PhysicalWrId.MAX_QP_INDEX - BASE + 1;

    private final int limit;
    private final CompletionTranslator others;
    private volatile @Nullable BondSharedReceiveQueue[] queues = new BondSharedReceiveQueue[4];
    private int generations;

    /**
     * None yet.
     *
     * @param limit  how many there may be at a time
     * @param others knows completions that are not of shared receives
     */
    public SharedQueues(final int limit, final CompletionTranslator others) {
        this.limit = Math.min(limit, MOST);
        this.others = others;
    }

    /**
     * The index that its receives carry.
     *
     * @throws VerbsException where there are as many as there may be
     */
    int add(final BondSharedReceiveQueue queue, final String bond) {
        @Nullable BondSharedReceiveQueue[] table = queues;
        int free = 0;
        while (free < table.length && table[free] != null) {
            free++;
        }
        if (free >= limit) {
            throw new VerbsException(
                    "createSrq", Errno.ENOMEM, bond, "all " + limit + " shared receive queues are in use");
        }
        if (free == table.length) {
            table = Arrays.copyOf(table, 2 * free);
        }
        table[free] = queue;
        queues = table;
        return BASE + free;
    }

    void remove(final BondSharedReceiveQueue queue) {
        final @Nullable BondSharedReceiveQueue[] table = queues.clone();
        table[queue.index() - BASE] = null;
        queues = table;
    }

    /**
     * Tells a physical SRQ from earlier ones, also from those of a vSRQ that had the same index: a device may leave
     * the completions of these behind. 16 bits; one that the vSRQ still has is not given out again.
     */
    int nextGeneration(final BondSharedReceiveQueue of) {
        do {
            generations = generations + 1 & 0xFFFF;
        } while (of.physical(generations) != null);
        return generations;
    }

    /** What people call the one of an index: 1 and up. */
    static int number(final int index) {
        return index - BASE + 1;
    }

    /** Those that are open. */
    public List<BondSharedReceiveQueue> all() {
        final List<BondSharedReceiveQueue> open = new ArrayList<>();
        for (final BondSharedReceiveQueue one : queues) {
            if (one != null) {
                open.add(one);
            }
        }
        return open;
    }

    private @Nullable BondSharedReceiveQueue at(final int index) {
        final @Nullable BondSharedReceiveQueue[] table = queues;
        return index >= BASE && index - BASE < table.length ? table[index - BASE] : null;
    }

    /**
     * Turns the completion of a shared receive, or of a datagram, into a virtual one; false when the application must
     * not see it.
     */
    boolean translate(final long wc, final long wrId) {
        if (PhysicalWrId.kind(wrId) != PhysicalWrId.KIND_SHARED) {
            return others.translate(wc, wrId);
        }
        final BondSharedReceiveQueue srq = at(PhysicalWrId.qpIndex(wrId));
        final PhysicalSrq physical = srq == null ? null : srq.physical(PhysicalWrId.incarnation(wrId));
        if (srq == null || physical == null) {
            return false;
        }
        final int slot = PhysicalWrId.slot(wrId);
        final BondQueuePair qp = physical.userOf(NativeMemory.getInt(wc + WcDescriptor.QP_NUM_OFFSET));
        final int status = NativeMemory.getInt(wc + WcDescriptor.STATUS_OFFSET);
        if (qp == null || status == WcStatus.WR_FLUSH_ERR.code()) {
            srq.comeBack(slot, physical);
            return false;
        }
        if (status != 0) {
            final FailureReason reason = qp.lifecycle()
                    .attachment()
                    .classifyReceive(status, NativeMemory.getInt(wc + WcDescriptor.VENDOR_ERR_OFFSET));
            if (reason != FailureReason.NONE) {
                srq.comeBack(slot, physical);
                qp.notes().addPathFailure(reason);
                return false;
            }
        }
        if (!srq.complete(slot, physical, wc)) {
            return false;
        }
        if (status != 0) {
            qp.onOwnError();
        }
        qp.recvQueue().countShared();
        NativeMemory.putInt(wc + WcDescriptor.QP_NUM_OFFSET, qp.qpNum());
        return true;
    }

    @Override
    public int doWork(final long nowNs) {
        int work = 0;
        for (final BondSharedReceiveQueue srq : queues) {
            if (srq != null) {
                work += srq.failOverrun() + srq.feed(nowNs);
            }
        }
        return work;
    }

    /** When a queue pair must be moved; {@link Long#MAX_VALUE} for never. */
    @Override
    public long nextDeadlineNs() {
        final EarliestDeadline next = new EarliestDeadline();
        for (final BondSharedReceiveQueue srq : queues) {
            next.add(srq != null && srq.isStarving() ? srq.nextMoveNs() : Long.MAX_VALUE);
        }
        return next.atNs();
    }
}
