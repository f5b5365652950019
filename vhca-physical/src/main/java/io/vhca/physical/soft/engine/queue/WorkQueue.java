package io.vhca.physical.soft.engine.queue;

import io.vhca.api.Errno;
import io.vhca.api.NativeMemory;
import io.vhca.api.SendWrDescriptor;
import io.vhca.api.SgeDescriptor;
import io.vhca.physical.soft.engine.core.NativeHeap;
import io.vhca.physical.soft.engine.core.SpinLock;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * A ring of work queue elements (WQEs) in native memory. Any thread posts, under the lock; the engine's owner consumes
 * without it. Indexes only grow: {@code consumer <= producer <= consumer + limit}.
 */
public abstract sealed class WorkQueue permits SendQueue, ReceiveQueue {
    private static final VarHandle PRODUCER;
    private static final VarHandle CONSUMER;

    static {
        try {
            final MethodHandles.Lookup lookup = MethodHandles.lookup();
            PRODUCER = lookup.findVarHandle(WorkQueue.class, "producer", long.class);
            CONSUMER = lookup.findVarHandle(WorkQueue.class, "consumer", long.class);
        } catch (final ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final SpinLock lock = new SpinLock();
    private final int limit;
    private final int maxSge;
    private final int mask;
    private final int stride;
    private final long base;
    private long producer;
    private long consumer;

    WorkQueue(final int limit, final int maxSge, final int stride) {
        this.limit = limit;
        this.maxSge = maxSge;
        this.stride = stride;
        final int slots = Integer.highestOneBit(Math.max(1, 2 * limit - 1));
        mask = slots - 1;
        base = NativeHeap.allocate((long) slots * stride);
    }

    /** Work requests that it holds at most. */
    public final int limit() {
        return limit;
    }

    /** Scatter/gather elements of a work request at most. */
    public final int maxSge() {
        return maxSge;
    }

    /** Takes the lock that posting needs. Any thread. */
    public final void lock() {
        lock.lock();
    }

    /** Gives the lock back. */
    public final void unlock() {
        lock.unlock();
    }

    /**
     * Waits until a post that is under way has ended. What the caller wrote before is seen by every later post. The
     * engine's owner.
     */
    public final void awaitPosters() {
        lock.lock();
        lock.unlock();
    }

    /**
     * Posts a chain of work requests, under the lock.
     *
     * @return how many were posted, or a negative errno when the first of them was refused
     */
    public final int postAll(final long wrAddress) {
        assert lock.isHeld() : "posting needs the lock";
        int count = 0;
        // ibv_send_wr and ibv_recv_wr have next at the same place.
        for (long wr = wrAddress; wr != 0; wr = NativeMemory.getLong(wr + SendWrDescriptor.NEXT_OFFSET)) {
            final int result = isFull() ? -Errno.ENOMEM : write(wr, address(producer));
            if (result != 0) {
                return count > 0 ? count : result;
            }
            PRODUCER.setRelease(this, producer + 1);
            count++;
        }
        return count;
    }

    private boolean isFull() {
        return producer - (long) CONSUMER.getAcquire(this) >= limit;
    }

    /** Writes the work request into a free slot; 0, or a negative errno where it is refused. */
    abstract int write(long wr, long wqe);

    /** Bytes of the elements of a scatter/gather list together. */
    static long length(final long list, final int numSge) {
        long length = 0;
        for (int i = 0; i < numSge; i++) {
            length += Integer.toUnsignedLong(SgeDescriptor.length(list + (long) i * SgeDescriptor.SIZE));
        }
        return length;
    }

    /** Native address of the WQE with that index. */
    public final long address(final long index) {
        return base + (index & mask) * stride;
    }

    /** One behind the last WQE posted; the partner of the release in {@link #postAll}. */
    public final long producer() {
        return (long) PRODUCER.getAcquire(this);
    }

    /** The oldest WQE that is not done. The engine's owner. */
    public final long consumer() {
        return consumer;
    }

    /** Gives the oldest slot back; the partner of the acquire in {@link #isFull}. The engine's owner. */
    public final void pop() {
        assert consumer < producer() : "nothing is posted";
        CONSUMER.setRelease(this, consumer + 1);
    }

    /** Forgets everything posted, under the lock. The engine's owner. */
    public final void reset() {
        assert lock.isHeld() : "a reset needs the lock";
        CONSUMER.setRelease(this, producer);
    }

    /** Frees the ring; nothing may be posted or consumed afterwards. */
    public final void free() {
        NativeHeap.free(base);
    }
}
