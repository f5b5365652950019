package io.vhca.physical.soft.engine.queue;

import io.vhca.api.Errno;
import io.vhca.api.NativeMemory;
import io.vhca.api.RecvWrDescriptor;
import io.vhca.api.SgeDescriptor;

/** The receive queue of a queue pair or an SRQ; its slots are laid out by {@link RecvWqeDescriptor}. */
public final class ReceiveQueue extends WorkQueue {
    /** An empty queue. */
    public ReceiveQueue(final int limit, final int maxSge) {
        super(limit, maxSge, RecvWqeDescriptor.bytes(maxSge));
    }

    /** How many are posted and not taken. The engine's owner. */
    public int size() {
        return (int) (producer() - consumer());
    }

    /** True when there is no receive. The engine's owner. */
    public boolean isEmpty() {
        return producer() == consumer();
    }

    /** Native address of the oldest WQE. The engine's owner. */
    public long front() {
        return address(consumer());
    }

    @Override
    int write(final long wr, final long wqe) {
        final int numSge = NativeMemory.getInt(wr + RecvWrDescriptor.NUM_SGE_OFFSET);
        if (numSge < 0 || numSge > maxSge()) {
            return -Errno.EINVAL;
        }
        final long list = NativeMemory.getLong(wr + RecvWrDescriptor.SG_LIST_OFFSET);
        NativeMemory.copy(wr, wqe, RecvWrDescriptor.SIZE);
        if (numSge > 0) {
            NativeMemory.copy(list, wqe + RecvWqeDescriptor.SGES_OFFSET, (long) numSge * SgeDescriptor.SIZE);
        }
        RecvWqeDescriptor.length(wqe, length(list, numSge));
        return 0;
    }
}
