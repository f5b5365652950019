package io.vhca.physical.soft.engine;

import io.vhca.api.Errno;
import io.vhca.api.NativeMemory;
import io.vhca.api.SendFlags;
import io.vhca.api.SendWrDescriptor;
import io.vhca.api.SgeDescriptor;
import io.vhca.api.WrOpcode;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * The ring of send WQEs of one QP ({@link SendWqeDescriptor}). Any thread posts, under the lock; the engine's owner
 * consumes. Indexes only grow.
 */
final class SendQueue {
    private static final VarHandle PRODUCER;
    private static final VarHandle CONSUMER;
    private static final int RC_OPCODES = 1 << WrOpcode.RDMA_WRITE.code()
            | 1 << WrOpcode.RDMA_WRITE_WITH_IMM.code()
            | 1 << WrOpcode.SEND.code()
            | 1 << WrOpcode.SEND_WITH_IMM.code()
            | 1 << WrOpcode.RDMA_READ.code()
            | 1 << WrOpcode.ATOMIC_CMP_AND_SWP.code()
            | 1 << WrOpcode.ATOMIC_FETCH_AND_ADD.code();
    private static final int UD_OPCODES = 1 << WrOpcode.SEND.code() | 1 << WrOpcode.SEND_WITH_IMM.code();
    private static final int NOT_INLINE = 1 << WrOpcode.RDMA_READ.code()
            | 1 << WrOpcode.ATOMIC_CMP_AND_SWP.code()
            | 1 << WrOpcode.ATOMIC_FETCH_AND_ADD.code();

    static {
        try {
            final MethodHandles.Lookup lookup = MethodHandles.lookup();
            PRODUCER = lookup.findVarHandle(SendQueue.class, "producer", long.class);
            CONSUMER = lookup.findVarHandle(SendQueue.class, "consumer", long.class);
        } catch (final ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    final SpinLock lock = new SpinLock();
    private final int limit;
    private final int mask;
    private final int stride;
    private final int maxSge;
    private final int maxInline;
    private final int opcodes;
    private final boolean isAllSignaled;
    private final long base;
    private long producer;
    private long consumer;

    SendQueue(final int limit, final int maxSge, final int maxInline, final boolean isDatagram,
            final boolean isAllSignaled) {
        this.limit = limit;
        this.maxSge = maxSge;
        this.maxInline = maxInline;
        this.isAllSignaled = isAllSignaled;
        opcodes = isDatagram ? UD_OPCODES : RC_OPCODES;
        final int slots = Integer.highestOneBit(Math.max(1, 2 * limit - 1));
        mask = slots - 1;
        stride = SendWqeDescriptor.DATA_OFFSET + Math.max(maxSge * SgeDescriptor.SIZE, maxInline + 7 & ~7);
        base = NativeHeap.allocate((long) slots * stride);
    }

    /** Native address of the WQE with that index. */
    long address(final long index) {
        return base + (index & mask) * stride;
    }

    /** One behind the last WQE posted; the partner of the release in {@link #post}. */
    long producer() {
        return (long) PRODUCER.getAcquire(this);
    }

    /** The oldest WQE not done. */
    long consumer() {
        return consumer;
    }

    /** Gives the slots before {@code index} back; the partner of the acquire in {@link #post}. */
    void consumed(final long index) {
        CONSUMER.setRelease(this, index);
    }

    /** True when the request completes even where it succeeds. */
    boolean isSignaled(final long wqe) {
        return isAllSignaled || SendWqeDescriptor.hasFlag(wqe, SendFlags.SIGNALED);
    }

    /** Posts one request; under the lock. 0 or a negative errno. */
    int post(final long wr) {
        final long index = producer;
        if (index - (long) CONSUMER.getAcquire(this) >= limit) {
            return -Errno.ENOMEM;
        }
        final int opcode = NativeMemory.getInt(wr + SendWrDescriptor.OPCODE_OFFSET);
        if (opcode < 0 || opcode >= Integer.SIZE) {
            return -Errno.EINVAL;
        }
        if ((opcodes & 1 << opcode) == 0) {
            return -Errno.EOPNOTSUPP;
        }
        final int numSge = NativeMemory.getInt(wr + SendWrDescriptor.NUM_SGE_OFFSET);
        final boolean isInline =
                (NativeMemory.getInt(wr + SendWrDescriptor.SEND_FLAGS_OFFSET) & SendFlags.INLINE) != 0;
        if (numSge < 0 || !isInline && numSge > maxSge || isInline && (NOT_INLINE & 1 << opcode) != 0) {
            return -Errno.EINVAL;
        }
        final long wqe = address(index);
        final long list = NativeMemory.getLong(wr + SendWrDescriptor.SG_LIST_OFFSET);
        long length = 0;
        for (int i = 0; i < numSge; i++) {
            length += Integer.toUnsignedLong(SgeDescriptor.length(list + (long) i * SgeDescriptor.SIZE));
        }
        if (isInline) {
            if (length > maxInline) {
                return -Errno.EINVAL;
            }
            copyInline(wqe, list, numSge);
        } else if (numSge > 0) {
            NativeMemory.copy(list, wqe + SendWqeDescriptor.DATA_OFFSET, (long) numSge * SgeDescriptor.SIZE);
        }
        NativeMemory.copy(wr, wqe, SendWqeDescriptor.WR_BYTES);
        SendWqeDescriptor.length(wqe, length);
        PRODUCER.setRelease(this, index + 1);
        return 0;
    }

    private static void copyInline(final long wqe, final long list, final int numSge) {
        long to = wqe + SendWqeDescriptor.DATA_OFFSET;
        for (int i = 0; i < numSge; i++) {
            final long sge = list + (long) i * SgeDescriptor.SIZE;
            final int lengthBytes = SgeDescriptor.length(sge);
            NativeMemory.copy(SgeDescriptor.addr(sge), to, lengthBytes);
            to += lengthBytes;
        }
    }

    /** Forgets everything posted; under the lock. */
    void reset() {
        CONSUMER.setRelease(this, producer);
    }

    void free() {
        NativeHeap.free(base);
    }
}
