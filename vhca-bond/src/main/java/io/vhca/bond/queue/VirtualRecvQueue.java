package io.vhca.bond.queue;

import io.vhca.api.Errno;
import io.vhca.api.NativeMemory;
import io.vhca.api.QueuePair;
import io.vhca.api.RecvWrDescriptor;
import io.vhca.bond.wire.PhysicalWrId;
import java.lang.foreign.Arena;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * The receive queue of a vQP: a ring of native receive WQEs, cursors as in {@link VirtualSendQueue}. RC consumes
 * receives in order, so {@code retired} also counts the messages received.
 *
 * <p>Threads: as {@link VirtualSendQueue}, with the receive CQ's gate.
 */
public final class VirtualRecvQueue extends SpinGate {
    private static final VarHandle RETIRED;

    static {
        try {
            RETIRED = MethodHandles.lookup().findVarHandle(VirtualRecvQueue.class, "retired", long.class);
        } catch (final ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final QueueOwner owner;
    private final LocalKeys localKeys;
    private final RecvSlotDescriptor slot;
    private final long base;
    private final int mask;
    private final int capacity;

    private long producer;
    private long posted;
    /** Receives before this one belong to a life before the last RESET. Control lock. */
    private long born;

    @SuppressWarnings({"FieldCanBeFinal", "FieldMayBeFinal"}) // written through RETIRED
    private long retired;

    /** Messages that took a receive of an SRQ; written inside the receive CQ's gate. */
    private volatile long shared;

    private boolean accepting;
    private boolean open;
    private @Nullable QueuePair physical;
    private int member;
    private long wrIdPrefix;
    private volatile boolean backlog;

    public VirtualRecvQueue(
            final QueueOwner owner,
            final LocalKeys localKeys,
            final Arena arena,
            final int capacity,
            final int maxSge) {
        this.owner = owner;
        this.localKeys = localKeys;
        this.capacity = capacity;
        slot = new RecvSlotDescriptor(maxSge);
        final int slots = Integer.highestOneBit(Math.max(1, capacity * 2 - 1));
        mask = slots - 1;
        base = arena.allocate((long) slots * slot.size, 64).address();
        for (int i = 0; i < slots; i++) {
            RecvSlotDescriptor.prepare(base + (long) i * slot.size);
        }
    }

    private long address(final long sequence) {
        return base + (sequence & mask) * slot.size;
    }

    /** Takes a chain; see {@link QueuePair#postRecv(long)}. */
    public int post(final long wrAddress) {
        enter();
        try {
            // As in VirtualSendQueue: no loop around a single request.
            if (wrAddress == 0) {
                return 0;
            }
            final int error = enqueue(wrAddress);
            if (error != 0) {
                return error;
            }
            final long next = NativeMemory.getLong(wrAddress + RecvWrDescriptor.NEXT_OFFSET);
            final int accepted = next == 0 ? 1 : 1 + enqueueChain(next);
            if (open) {
                pump();
            } else {
                owner.onKeptBack();
            }
            return accepted;
        } finally {
            leave();
        }
    }

    /** How many of a chain were taken. */
    private int enqueueChain(final long first) {
        int accepted = 0;
        for (long wr = first; wr != 0; wr = NativeMemory.getLong(wr + RecvWrDescriptor.NEXT_OFFSET)) {
            if (enqueue(wr) != 0) {
                break;
            }
            accepted++;
        }
        return accepted;
    }

    private int enqueue(final long wr) {
        final long sequence = producer;
        if (!accepting) {
            return -Errno.EINVAL;
        }
        if (sequence - (long) RETIRED.getAcquire(this) >= capacity) {
            return -Errno.ENOMEM;
        }
        final int numSge = NativeMemory.getInt(wr + RecvWrDescriptor.NUM_SGE_OFFSET);
        if (numSge < 0 || numSge > slot.maxSge) {
            return -Errno.EINVAL;
        }
        slot.take(address(sequence), wr, numSge);
        producer = sequence + 1;
        return 0;
    }

    private void pump() {
        final long from = posted;
        final long end = producer;
        final QueuePair qp = physical;
        if (from == end || qp == null) {
            return;
        }
        final LocalKeys.Snapshot keys = localKeys.snapshot();
        long previous = 0;
        for (long sequence = from; sequence != end; sequence++) {
            final long wr = address(sequence);
            slot.translate(wr, keys, member, PhysicalWrId.of(wrIdPrefix, sequence));
            if (previous != 0) {
                NativeMemory.putLong(previous + RecvWrDescriptor.NEXT_OFFSET, wr);
            }
            previous = wr;
        }
        NativeMemory.putLong(previous + RecvWrDescriptor.NEXT_OFFSET, 0);
        final int taken = qp.postRecv(address(from));
        if (taken > 0) {
            posted = from + taken;
        } else if (taken != -Errno.ENOMEM) {
            open = false;
            owner.onPhysicalPostRefused(taken);
        }
        final boolean left = posted != end;
        if (backlog != left) {
            backlog = left;
        }
    }

    boolean hasBacklog() {
        return backlog;
    }

    void pumpIfIdle() {
        if (tryEnter()) {
            try {
                if (open) {
                    pump();
                }
            } finally {
                leave();
            }
        }
    }

    // ---- completion, inside the receive CQ's gate ---------------------------------------------------------------

    /** The sequence of the next receive to complete. */
    public long retired() {
        return (long) RETIRED.getAcquire(this);
    }

    /** Messages received since the vQP was born, or was in RESET. */
    public long received() {
        return retired() - born + shared;
    }

    /** A message took a receive that this queue pair shares with others. */
    public void countShared() {
        shared = shared + 1;
    }

    public long sequenceOf(final long physicalWrId) {
        return PhysicalWrId.sequence(physicalWrId, retired);
    }

    public void retireThrough(final long sequence) {
        RETIRED.setRelease(this, sequence + 1);
    }

    public long wrId(final long sequence) {
        return slot.wrId(address(sequence));
    }

    /** See {@link RecvSlotDescriptor#firstElement}. */
    public long firstElement(final long sequence) {
        return RecvSlotDescriptor.firstElement(address(sequence));
    }

    // ---- recovery, control thread -------------------------------------------------------------------------------

    /** Whether posts are taken at all: the vQP is in INIT or beyond. */
    public void accepting(final boolean value) {
        enter();
        accepting = value;
        leave();
    }

    public void closeGate() {
        enter();
        open = false;
        leave();
    }

    /** Takes a physical QP, gives it every receive that is not consumed yet, and opens the gate. */
    public void attachAndOpen(final QueuePair qp, final int ownMember, final long prefix) {
        enter();
        try {
            physical = qp;
            member = ownMember;
            wrIdPrefix = prefix;
            posted = (long) RETIRED.getAcquire(this);
            open = true;
            pump();
        } finally {
            leave();
        }
    }

    public void detach() {
        enter();
        open = false;
        physical = null;
        leave();
    }

    /** Whether every request given to the hardware is back, when those before {@code flushedTo} were flushed. */
    public boolean isBack(final long flushedTo) {
        enter();
        final boolean back = posted <= Math.max(flushedTo, retired());
        leave();
        return back;
    }

    public void reset() {
        enter();
        posted = producer;
        backlog = false;
        leave();
        retireThrough(producer - 1);
        born = producer;
        shared = 0;
    }

    public long producerInside() {
        enter();
        final long value = producer;
        leave();
        return value;
    }
}
