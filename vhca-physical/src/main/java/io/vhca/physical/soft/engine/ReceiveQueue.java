package io.vhca.physical.soft.engine;

import io.vhca.api.Errno;
import io.vhca.api.NativeMemory;
import io.vhca.api.RecvWrDescriptor;
import io.vhca.api.SgeDescriptor;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * The ring of receive WQEs of one QP or SRQ ({@link RecvWqeDescriptor}). Any thread posts, under the lock; the engine's
 * owner consumes. Indexes only grow.
 */
final class ReceiveQueue {
    private static final VarHandle PRODUCER;
    private static final VarHandle CONSUMER;

    static {
        try {
            final MethodHandles.Lookup lookup = MethodHandles.lookup();
            PRODUCER = lookup.findVarHandle(ReceiveQueue.class, "producer", long.class);
            CONSUMER = lookup.findVarHandle(ReceiveQueue.class, "consumer", long.class);
        } catch (final ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    final SpinLock lock = new SpinLock();
    private final int limit;
    private final int mask;
    private final int stride;
    private final int maxSge;
    private final long base;
    private long producer;
    private long consumer;

    ReceiveQueue(final int limit, final int maxSge) {
        this.limit = limit;
        this.maxSge = maxSge;
        final int slots = Integer.highestOneBit(Math.max(1, 2 * limit - 1));
        mask = slots - 1;
        stride = RecvWqeDescriptor.bytes(maxSge);
        base = NativeHeap.allocate((long) slots * stride);
    }

    int limit() {
        return limit;
    }

    int maxSge() {
        return maxSge;
    }

    /** How many are posted and not taken. */
    int size() {
        return (int) ((long) PRODUCER.getAcquire(this) - consumer);
    }

    boolean isEmpty() {
        return size() == 0;
    }

    /** Native address of the oldest WQE. */
    long front() {
        return base + (consumer & mask) * stride;
    }

    /** Gives the oldest slot back; the partner of the acquire in {@link #post}. */
    void pop() {
        CONSUMER.setRelease(this, consumer + 1);
    }

    /** Posts one request; under the lock. 0 or a negative errno. */
    int post(final long wr) {
        final long index = producer;
        if (index - (long) CONSUMER.getAcquire(this) >= limit) {
            return -Errno.ENOMEM;
        }
        final int numSge = NativeMemory.getInt(wr + RecvWrDescriptor.NUM_SGE_OFFSET);
        if (numSge < 0 || numSge > maxSge) {
            return -Errno.EINVAL;
        }
        final long wqe = base + (index & mask) * stride;
        final long list = NativeMemory.getLong(wr + RecvWrDescriptor.SG_LIST_OFFSET);
        NativeMemory.copy(wr, wqe, RecvWrDescriptor.SIZE);
        long length = 0;
        for (int i = 0; i < numSge; i++) {
            length += Integer.toUnsignedLong(SgeDescriptor.length(list + (long) i * SgeDescriptor.SIZE));
        }
        if (numSge > 0) {
            NativeMemory.copy(list, wqe + RecvWqeDescriptor.SGES_OFFSET, (long) numSge * SgeDescriptor.SIZE);
        }
        NativeMemory.putLong(wqe + RecvWqeDescriptor.LENGTH_OFFSET, length);
        PRODUCER.setRelease(this, index + 1);
        return 0;
    }

    /** Forgets everything posted; under the lock. */
    void reset() {
        CONSUMER.setRelease(this, producer);
    }

    void free() {
        NativeHeap.free(base);
    }
}
