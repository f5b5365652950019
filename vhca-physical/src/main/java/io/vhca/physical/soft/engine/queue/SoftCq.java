package io.vhca.physical.soft.engine.queue;

import io.vhca.api.AsyncEvent;
import io.vhca.api.AsyncEventType;
import io.vhca.api.CompletionChannel;
import io.vhca.api.CompletionQueue;
import io.vhca.api.Context;
import io.vhca.api.Errno;
import io.vhca.api.NativeMemory;
import io.vhca.api.VerbsException;
import io.vhca.api.WcDescriptor;
import io.vhca.physical.soft.engine.core.EngineCore;
import io.vhca.physical.soft.engine.core.NativeHeap;
import io.vhca.physical.soft.engine.core.NicCounter;
import io.vhca.physical.soft.engine.core.SpinLock;
import io.vhca.physical.soft.engine.core.UseCount;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * A completion queue of a soft device: a ring of {@code ibv_wc}. The engine's owner fills it. Any thread polls it,
 * under a lock that it holds for the copy. An overrun is final: CQ_ERR is raised, and polling answers -EIO from then
 * on.
 */
public final class SoftCq implements CompletionQueue {
    private static final int NOT_ARMED = 0;
    private static final int ARMED_SOLICITED = 1;
    private static final int ARMED = 2;
    private static final VarHandle CONSUMER;
    private static final VarHandle REQUESTED;

    static {
        try {
            CONSUMER = MethodHandles.lookup().findVarHandle(SoftCq.class, "consumer", long.class);
            REQUESTED = MethodHandles.lookup().findVarHandle(SoftCq.class, "armed", int.class);
        } catch (final ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final EngineCore core;
    private final UseCount open;
    private final UseCount users;
    private final @Nullable Context context;
    private final @Nullable Object cqContext;
    private final @Nullable CompletionChannel channel;
    private final SpinLock lock = new SpinLock();
    private int cqe;
    private int mask;
    private long base;
    private volatile long producer;
    private long consumer;
    private volatile int armed;
    private volatile boolean isInError;
    private volatile boolean isClosed;

    /**
     * Counts itself among the open CQs. The engine's owner.
     *
     * @param open      the device's CQs
     * @param context   as {@code cqContext} and {@code channel}, only given back
     */
    public SoftCq(
            final EngineCore core,
            final UseCount open,
            final @Nullable Context context,
            final int cqe,
            final @Nullable Object cqContext,
            final @Nullable CompletionChannel channel) {
        this.core = core;
        this.open = open;
        users = new UseCount(core);
        this.context = context;
        this.cqContext = cqContext;
        this.channel = channel;
        this.cqe = cqe;
        final int slots = slots(cqe);
        mask = slots - 1;
        base = NativeHeap.allocate((long) slots * WcDescriptor.SIZE);
        open.added();
    }

    /** True when it is a CQ of that engine. */
    public boolean isOf(final EngineCore engine) {
        return core == engine;
    }

    /** Another send or receive queue completes here; the engine's owner. */
    public void addUser() {
        users.added();
    }

    /** A send or receive queue does not complete here any more; the engine's owner. */
    public void removeUser() {
        users.removed();
    }

    private static int slots(final int cqe) {
        return Integer.highestOneBit(Math.max(1, 2 * cqe - 1));
    }

    @Override
    public Context context() {
        if (context == null) {
            throw new IllegalStateException(this + " was created without a context");
        }
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
        return cqe;
    }

    @Override
    public int pending() {
        // What is consumed is looked at first: it never is more than what was produced by then.
        final long from = (long) CONSUMER.getAcquire(this);
        return (int) (producer - from);
    }

    @Override
    public int poll(final long wcAddress, final int maxEntries) {
        final int count = take(wcAddress, maxEntries);
        if (count != 0) {
            return count;
        }
        if (armed != NOT_ARMED) {
            // Who waits for an event next may not come back soon.
            return core.driveInline() ? take(wcAddress, maxEntries) : 0;
        }
        final int driven = core.driveHolding() ? take(wcAddress, maxEntries) : 0;
        if (driven == 0) {
            core.sendHeld();
        }
        return driven;
    }

    private int take(final long wcAddress, final int maxEntries) {
        if (producer == consumer && !isInError) {
            return 0;
        }
        lock.lock();
        try {
            if (isInError || isClosed) {
                return -Errno.EIO;
            }
            final long from = consumer;
            final int count = (int) Math.min(producer - from, maxEntries);
            final int first = (int) (from & mask);
            final int unbroken = Math.min(count, mask + 1 - first);
            NativeMemory.copy(
                    base + (long) first * WcDescriptor.SIZE, wcAddress, (long) unbroken * WcDescriptor.SIZE);
            NativeMemory.copy(
                    base,
                    wcAddress + (long) unbroken * WcDescriptor.SIZE,
                    (long) (count - unbroken) * WcDescriptor.SIZE);
            CONSUMER.setRelease(this, from + count);
            return count;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void reqNotify(final boolean solicitedOnly) {
        if (!solicitedOnly) {
            armed = ARMED;
        } else {
            // Another thread may ask for more at the same time: that stays.
            REQUESTED.compareAndSet(this, NOT_ARMED, ARMED_SOLICITED);
        }
    }

    /**
     * Appends a completion; the engine's owner.
     *
     * @param rawImmediate in the order of its bytes on the wire
     * @return false when the queue is in error, by an overrun now or before
     */
    public boolean push(
            final long wrId,
            final int status,
            final int opcode,
            final int byteLen,
            final int rawImmediate,
            final int qpNum,
            final int srcQp,
            final int flags,
            final boolean isSolicited) {
        assert core.isOwner() : "only the engine's owner completes";
        final long index = producer;
        assert index >= (long) CONSUMER.getAcquire(this) : "more was polled than completed";
        if (isInError || index - (long) CONSUMER.getAcquire(this) >= cqe) {
            overrun();
            return false;
        }
        final long wc = base + (index & mask) * WcDescriptor.SIZE;
        NativeMemory.putLong(wc + WcDescriptor.WR_ID_OFFSET, wrId);
        NativeMemory.putInt(wc + WcDescriptor.STATUS_OFFSET, status);
        NativeMemory.putInt(wc + WcDescriptor.OPCODE_OFFSET, opcode);
        NativeMemory.putInt(wc + WcDescriptor.VENDOR_ERR_OFFSET, 0);
        NativeMemory.putInt(wc + WcDescriptor.BYTE_LEN_OFFSET, byteLen);
        NativeMemory.putInt(wc + WcDescriptor.IMM_DATA_OFFSET, rawImmediate);
        NativeMemory.putInt(wc + WcDescriptor.QP_NUM_OFFSET, qpNum);
        NativeMemory.putInt(wc + WcDescriptor.SRC_QP_OFFSET, srcQp);
        NativeMemory.putInt(wc + WcDescriptor.WC_FLAGS_OFFSET, flags);
        producer = index + 1;
        final int state = armed;
        if (state == ARMED || state == ARMED_SOLICITED && isSolicited) {
            armed = NOT_ARMED;
            core.notifyCq(this);
        }
        return true;
    }

    private void overrun() {
        core.counters().increment(NicCounter.CQ_OVERRUNS);
        if (!isInError) {
            isInError = true;
            core.raise(AsyncEvent.ofCq(AsyncEventType.CQ_ERR, this));
        }
    }

    /** Drops the completions of a QP that is reset or destroyed; the engine's owner. */
    public void purge(final int qpNum) {
        assert core.isOwner() : "only the engine's owner purges";
        lock.lock();
        final long end = producer;
        long keep = end;
        for (long i = end - 1; i >= consumer; i--) {
            final long wc = base + (i & mask) * WcDescriptor.SIZE;
            if (NativeMemory.getInt(wc + WcDescriptor.QP_NUM_OFFSET) != qpNum) {
                keep--;
                NativeMemory.copy(wc, base + (keep & mask) * WcDescriptor.SIZE, WcDescriptor.SIZE);
            }
        }
        CONSUMER.setRelease(this, keep);
        lock.unlock();
    }

    @Override
    public void resize(final int newCqe) {
        core.acquireFor("resizeCq");
        lock.lock();
        try {
            final int waiting = (int) (producer - consumer);
            if (isClosed || newCqe < Math.max(1, waiting) || newCqe > core.config().maxCqe()) {
                throw new VerbsException(
                        "resizeCq",
                        Errno.EINVAL,
                        toString(),
                        "the size must be " + Math.max(1, waiting) + " .. " + core.config().maxCqe());
            }
            final int slots = slots(newCqe);
            final long moved = NativeHeap.allocate((long) slots * WcDescriptor.SIZE);
            for (long i = consumer; i < producer; i++) {
                NativeMemory.copy(
                        base + (i & mask) * WcDescriptor.SIZE,
                        moved + (i & slots - 1) * WcDescriptor.SIZE,
                        WcDescriptor.SIZE);
            }
            NativeHeap.free(base);
            base = moved;
            mask = slots - 1;
            cqe = newCqe;
        } finally {
            lock.unlock();
            core.release();
        }
    }

    /** False once closed. Any thread. */
    public boolean isOpen() {
        return !isClosed;
    }

    @Override
    public void close() {
        core.acquire();
        try {
            if (isClosed) {
                return;
            }
            if (users.get() > 0) {
                throw new VerbsException(
                        "destroyCq", Errno.EBUSY, toString(), "queue pairs still use it: destroy them first");
            }
            lock.lock();
            isClosed = true;
            isInError = true;
            lock.unlock();
            NativeHeap.free(base);
            open.removed();
            core.destroyed(this);
        } finally {
            core.release();
        }
    }

    @Override
    public String toString() {
        return core.name() + " cq of " + cqe;
    }
}
