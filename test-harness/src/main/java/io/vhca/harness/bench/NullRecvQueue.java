package io.vhca.harness.bench;

import io.vhca.api.NativeMemory;
import io.vhca.api.RecvWrDescriptor;
import io.vhca.api.SendWrDescriptor;
import io.vhca.api.SgeDescriptor;
import io.vhca.api.WcOpcode;
import io.vhca.api.WcStatus;
import io.vhca.api.WrOpcode;
import java.lang.foreign.Arena;

/** The receives posted to a null QP: a ring of {@code ibv_recv_wr} with their elements behind each. Any thread. */
final class NullRecvQueue implements AutoCloseable {
    private final Arena arena = Arena.ofShared();
    private final int capacity;
    private final int maxSge;
    private final int slotBytes;
    private final long ring;
    private long head;
    private volatile long tail;
    private volatile long taken;
    private boolean closed;

    NullRecvQueue(final int capacity, final int maxSge) {
        this.capacity = capacity;
        this.maxSge = Math.max(1, maxSge);
        slotBytes = RecvWrDescriptor.SIZE + this.maxSge * SgeDescriptor.SIZE;
        ring = arena.allocate((long) capacity * slotBytes, 64).address();
    }

    /** True when a receive is posted; no lock. */
    boolean waiting() {
        return taken != tail;
    }

    synchronized boolean add(final long wr) {
        final int elements = NativeMemory.getInt(wr + RecvWrDescriptor.NUM_SGE_OFFSET);
        if (closed || tail - head == capacity || elements > maxSge) {
            return false;
        }
        final long slot = slot(tail);
        NativeMemory.copy(wr, slot, RecvWrDescriptor.SIZE);
        NativeMemory.copy(
                NativeMemory.getLong(wr + RecvWrDescriptor.SG_LIST_OFFSET),
                slot + RecvWrDescriptor.SIZE,
                (long) elements * SgeDescriptor.SIZE);
        tail++;
        return true;
    }

    /** Completes the oldest receive with the data of a request; {@code moved} bytes were written by RDMA already. */
    synchronized void take(final NullCq cq, final int qpNum, final long wr, final int opcode, final int moved) {
        if (closed || head == tail) {
            return;
        }
        final long slot = slot(head++);
        taken = head;
        final boolean write = opcode == WrOpcode.RDMA_WRITE_WITH_IMM.code();
        final int received = write ? moved : scatter(wr, slot);
        cq.add(
                NativeMemory.getLong(slot + RecvWrDescriptor.WR_ID_OFFSET),
                received < 0 ? WcStatus.LOC_LEN_ERR.code() : WcStatus.SUCCESS.code(),
                write ? WcOpcode.RECV_RDMA_WITH_IMM.code() : WcOpcode.RECV.code(),
                received,
                qpNum,
                NativeMemory.getInt(wr + SendWrDescriptor.IMM_DATA_OFFSET),
                NullQp.receiveFlags(opcode));
    }

    /** Copies a request's elements into a receive's; -1 when they do not fit. */
    private static int scatter(final long wr, final long slot) {
        long target = slot + RecvWrDescriptor.SIZE;
        int targets = NativeMemory.getInt(slot + RecvWrDescriptor.NUM_SGE_OFFSET);
        long source = NativeMemory.getLong(wr + SendWrDescriptor.SG_LIST_OFFSET);
        int used = 0;
        int total = 0;
        for (int i = NativeMemory.getInt(wr + SendWrDescriptor.NUM_SGE_OFFSET); i > 0; i--) {
            int offset = 0;
            while (offset < SgeDescriptor.length(source)) {
                if (targets == 0) {
                    return -1;
                }
                final int room = SgeDescriptor.length(target) - used;
                final int step = Math.min(room, SgeDescriptor.length(source) - offset);
                NativeMemory.copy(SgeDescriptor.addr(source) + offset, SgeDescriptor.addr(target) + used, step);
                offset += step;
                used += step;
                total += step;
                if (step == room) {
                    targets--;
                    target += SgeDescriptor.SIZE;
                    used = 0;
                }
            }
            source += SgeDescriptor.SIZE;
        }
        return total;
    }

    synchronized void flush(final NullCq cq, final int qpNum) {
        for (; head < tail; head++) {
            final long wrId = NativeMemory.getLong(slot(head) + RecvWrDescriptor.WR_ID_OFFSET);
            cq.add(wrId, WcStatus.WR_FLUSH_ERR.code(), WcOpcode.RECV.code(), 0, qpNum, 0, 0);
        }
        taken = head;
    }

    synchronized void clear() {
        head = tail;
        taken = head;
    }

    private long slot(final long index) {
        return ring + index % capacity * slotBytes;
    }

    @Override
    public synchronized void close() {
        if (!closed) {
            closed = true;
            clear();
            arena.close();
        }
    }
}
