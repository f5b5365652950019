package io.vhca.bond.queue;

import io.vhca.api.Errno;
import io.vhca.api.NativeMemory;
import io.vhca.api.QueuePair;
import io.vhca.api.RecvWrDescriptor;
import io.vhca.bond.memory.BufferSink;
import io.vhca.bond.memory.NativeBlock;
import io.vhca.bond.wire.PhysicalWrId;

/**
 * The receive queue of a vQP: a ring of native receive WQEs. A queue pair consumes receives in order, so
 * {@code retired} also counts the messages received.
 *
 * <p>Threads: as {@link VirtualQueue}.
 */
public final class VirtualRecvQueue extends VirtualQueue {
    private final RecvSlots slots;

    /** Receives before this one belong to a life before the last RESET. Control lock. */
    private long born;

    /** Messages that took a receive of an SRQ; written inside the receive CQ's gate. */
    private volatile long shared;

    public VirtualRecvQueue(
            final QueueOwner owner,
            final LocalKeys localKeys,
            final NativeBlock block,
            final int capacity,
            final int maxSge) {
        super(owner, localKeys, capacity);
        slots = new RecvSlots(block, "vRQ", RecvSlots.ringSize(capacity), maxSge);
    }

    /** What it takes of a block. */
    public static long bytes(final int capacity, final int maxSge) {
        return RecvSlots.bytes(RecvSlots.ringSize(capacity), maxSge);
    }

    /** Takes a chain; see {@link QueuePair#postRecv(long)}. */
    public int post(final long wrAddress) {
        enterOwn();
        try {
            // As in VirtualSendQueue: no loop around a single request.
            if (wrAddress == 0) {
                return 0;
            }
            final int error = enqueue(wrAddress);
            if (error != 0) {
                return posted(wrAddress, error);
            }
            final long next = NativeMemory.getLong(wrAddress + RecvWrDescriptor.NEXT_OFFSET);
            final int accepted = next == 0 ? 1 : 1 + enqueueChain(next);
            if (open) {
                pump();
            } else {
                keptBack();
            }
            return posted(wrAddress, accepted);
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
            return refused(wr, -Errno.EINVAL);
        }
        if (sequence - retired() >= capacity) {
            return -Errno.ENOMEM;
        }
        final int numSge = NativeMemory.getInt(wr + RecvWrDescriptor.NUM_SGE_OFFSET);
        if (!slots.holds(numSge)) {
            return -Errno.EINVAL;
        }
        slots.take(slots.address(sequence), wr, numSge);
        producer = sequence + 1;
        return 0;
    }

    @Override
    protected int enqueueOne(final long wr) {
        return enqueue(wr);
    }

    private void pump() {
        final long from = posted;
        final long end = producer;
        final QueuePair qp = physical;
        if (from == end || qp == null) {
            return;
        }
        assert isInOrder() : this;
        final LocalKeys.Snapshot keys = localKeys.snapshot();
        long previous = 0;
        for (long sequence = from; sequence != end; sequence++) {
            final long wr = slots.address(sequence);
            slots.translate(wr, keys, member, PhysicalWrId.of(wrIdPrefix, sequence));
            if (previous != 0) {
                NativeMemory.putLong(previous + RecvWrDescriptor.NEXT_OFFSET, wr);
            }
            previous = wr;
        }
        NativeMemory.putLong(previous + RecvWrDescriptor.NEXT_OFFSET, 0);
        final int taken = qp.postRecv(slots.address(from));
        if (taken > 0) {
            posted = from + taken;
        } else {
            onRefused(taken);
        }
        backlog(posted != end);
    }

    @Override
    protected void pumpWaiting() {
        if (open) {
            pump();
        }
    }

    // ---- completion, inside the receive CQ's gate -------------------------------------------------------------------

    /** Messages received since the vQP was born, or was in RESET. */
    public long received() {
        return retired() - born + shared;
    }

    /** A message took a receive that this queue pair shares with others. */
    public void countShared() {
        shared = shared + 1;
    }

    @Override
    public long wrId(final long sequence) {
        return slots.wrId(sequence);
    }

    @Override
    protected String refusal(final long wr, final int error) {
        return PostRefusal.ofRecv(wr, slots.maxSge());
    }

    @Override
    protected String describe(final long sequence) {
        return "wr_id=0x" + Long.toHexString(wrId(sequence));
    }

    @Override
    protected void buffers(final long sequence, final BufferSink to) {
        slots.buffers(sequence, to);
    }

    @Override
    protected boolean isOfReceives() {
        return true;
    }

    /** See {@link RecvSlots#firstElement}. */
    public long firstElement(final long sequence) {
        return slots.firstElement(sequence);
    }

    // ---- recovery, control thread -----------------------------------------------------------------------------------

    /** Takes a physical QP, gives it every receive that is not consumed yet, and opens the gate. */
    public void attachAndOpen(final QueuePair qp, final int ownMember, final long prefix) {
        enter();
        try {
            take(qp, ownMember, prefix);
            rewind(retired());
            open = true;
            pump();
        } finally {
            leave();
        }
    }

    @Override
    protected void onReset() {
        born = producer;
        shared = 0;
    }
}
