package io.vhca.harness.bench;

import io.vhca.api.CompletionChannel;
import io.vhca.api.CompletionQueue;
import io.vhca.api.Context;
import io.vhca.api.NativeMemory;
import io.vhca.api.WcDescriptor;
import java.lang.foreign.Arena;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * A completion queue of a null device: a ring under one spin lock, as a hardware driver's is. An empty poll takes no
 * lock.
 */
final class NullCq implements CompletionQueue {
    private static final VarHandle LOCK;

    static {
        try {
            LOCK = MethodHandles.lookup().findVarHandle(NullCq.class, "lock", int.class);
        } catch (final ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final NullContext context;
    private final @Nullable Object cqContext;
    private final @Nullable NullCompChannel channel;
    private final Arena arena = Arena.ofShared();
    private final int capacity;
    private final long ring;

    @SuppressWarnings("unused") // through LOCK
    private volatile int lock;

    private volatile long head;
    private volatile long tail;
    private volatile boolean armed;
    private boolean closed;

    NullCq(
            final NullContext context,
            final int cqe,
            final @Nullable Object cqContext,
            final @Nullable NullCompChannel channel) {
        this.context = context;
        this.cqContext = cqContext;
        this.channel = channel;
        capacity = Integer.highestOneBit(Math.max(1, cqe - 1)) << 1;
        ring = arena.allocate((long) capacity * WcDescriptor.SIZE, 64).address();
    }

    @Override
    public Context context() {
        return context;
    }

    @Override
    public @Nullable Object cqContext() {
        return cqContext;
    }

    @Override
    public @Nullable CompletionChannel channel() {
        return channel;
    }

    @Override
    public int cqe() {
        return capacity;
    }

    /** Adds one completion; false when the queue is full. */
    boolean add(
            final long wrId,
            final int status,
            final int opcode,
            final int byteLen,
            final int qpNum,
            final int immRaw,
            final int flags) {
        acquire();
        final long at = tail;
        final boolean fits = at - head < capacity;
        if (fits) {
            final long wc = ring + (at & capacity - 1) * WcDescriptor.SIZE;
            NativeMemory.putLong(wc + WcDescriptor.WR_ID_OFFSET, wrId);
            NativeMemory.putInt(wc + WcDescriptor.STATUS_OFFSET, status);
            NativeMemory.putInt(wc + WcDescriptor.OPCODE_OFFSET, opcode);
            NativeMemory.putInt(wc + WcDescriptor.VENDOR_ERR_OFFSET, 0);
            NativeMemory.putInt(wc + WcDescriptor.BYTE_LEN_OFFSET, byteLen);
            NativeMemory.putInt(wc + WcDescriptor.IMM_DATA_OFFSET, immRaw);
            NativeMemory.putInt(wc + WcDescriptor.QP_NUM_OFFSET, qpNum);
            NativeMemory.putInt(wc + WcDescriptor.WC_FLAGS_OFFSET, flags);
            tail = at + 1;
        }
        LOCK.setRelease(this, 0);
        if (armed) {
            raise();
        }
        return fits;
    }

    private void raise() {
        armed = false;
        if (channel != null) {
            channel.raise(this);
        }
    }

    private void acquire() {
        while (!LOCK.compareAndSet(this, 0, 1)) {
            Thread.onSpinWait();
        }
    }

    @Override
    public int poll(final long wcAddress, final int maxEntries) {
        if (head == tail) {
            return 0;
        }
        acquire();
        final long from = head;
        final int count = (int) Math.min(maxEntries, tail - from);
        for (int i = 0; i < count; i++) {
            final long wc = ring + (from + i & capacity - 1) * WcDescriptor.SIZE;
            NativeMemory.copy(wc, wcAddress + (long) i * WcDescriptor.SIZE, WcDescriptor.SIZE);
        }
        head = from + count;
        LOCK.setRelease(this, 0);
        return count;
    }

    @Override
    public void reqNotify(final boolean solicitedOnly) {
        armed = true;
        if (head != tail && armed) {
            raise();
        }
    }

    @Override
    public void resize(final int cqe) {
        // The ring is a power of two at least as large as first asked for; growing is not needed to measure.
    }

    @Override
    public void close() {
        if (!closed) {
            closed = true;
            arena.close();
        }
    }
}
