package io.vhca.bond.queue;

import io.vhca.api.AtomicCapability;
import io.vhca.api.Errno;
import io.vhca.api.NativeMemory;
import io.vhca.api.QueuePair;
import io.vhca.api.SendFlags;
import io.vhca.api.SendWrDescriptor;
import io.vhca.bond.wire.PhysicalWrId;

/**
 * The application's end of a virtual send queue: takes requests into the ring, written once; what becomes of them is
 * {@link VirtualSendQueue}'s. Everything but {@code retired} is read and written inside this gate.
 */
abstract class SendIntake extends SendRing {
    static final long NOT_HELD = Long.MAX_VALUE;

    final ConnectedQueueOwner owner;
    final LocalKeys localKeys;
    private final int maxSge;
    private final AtomicCapability atomics;
    private final boolean emulated;

    /** Requests in [posted, translated) carry the keys and the wr_id of the physical QP in use. */
    long translated;
    long messages;

    /** What is posted goes to the hardware: the gate is open and nothing is held. */
    boolean open;

    /** The first atomic that the peer's bond must execute; what follows waits for it. */
    long atomicAt = NOT_HELD;
    int member;
    long wrIdPrefix;

    SendIntake(
            final ConnectedQueueOwner owner,
            final LocalKeys localKeys,
            final SendSlots slots,
            final int capacity,
            final int maxSge,
            final boolean sigAll,
            final AtomicCapability atomics,
            final boolean emulated) {
        super(slots, capacity, sigAll);
        this.owner = owner;
        this.localKeys = localKeys;
        this.maxSge = maxSge;
        this.atomics = atomics;
        this.emulated = emulated;
    }

    /** Gives the hardware all before {@code end} that it will take, as one chain. Inside the gate, while open. */
    abstract void pump(long end);

    /** Gives the hardware what waits and may go. Inside the gate. */
    abstract void resume();

    // ---- the application's side -------------------------------------------------------------------------------

    /** Takes a chain; see {@link QueuePair#postSend(long)}. */
    public int post(final long wrAddress) {
        enter();
        try {
            // A single request is the common case; a loop around all of it costs more than its body.
            if (wrAddress == 0) {
                return 0;
            }
            final int error = enqueue(wrAddress);
            if (error != 0) {
                return error;
            }
            final long next = NativeMemory.getLong(wrAddress + SendWrDescriptor.NEXT_OFFSET);
            final int accepted = next == 0 ? 1 : 1 + enqueueChain(next);
            if (open) {
                pump(producer);
            } else {
                keptBack();
            }
            return accepted;
        } finally {
            leave();
        }
    }

    /** How many of a chain were taken. */
    private int enqueueChain(final long first) {
        int accepted = 0;
        for (long wr = first; wr != 0; wr = NativeMemory.getLong(wr + SendWrDescriptor.NEXT_OFFSET)) {
            if (enqueue(wr) != 0) {
                break;
            }
            accepted++;
        }
        return accepted;
    }

    private int enqueue(final long wr) {
        final long sequence = producer;
        // Neighbouring 32-bit fields travel as one 64-bit word: num_sge and opcode, send_flags and imm_data.
        final long shape = NativeMemory.getLong(wr + SendWrDescriptor.NUM_SGE_OFFSET);
        final int opcode = (int) (shape >>> Integer.SIZE);
        if (!accepting
                || sequence - (long) RETIRED.getAcquire(this) >= capacity
                || Integer.compareUnsigned((int) shape, maxSge) > 0
                || (opcode & ~31 | ~SendOpcodes.SUPPORTED >>> opcode & 1) != 0) {
            return enqueueOther(wr, opcode, (int) shape);
        }
        final long flagsAndImm = NativeMemory.getLong(wr + SendWrDescriptor.SEND_FLAGS_OFFSET);
        final int flags = (int) flagsAndImm & CARRIED_FLAGS | alwaysFlags;
        final long to = slots.address(sequence);
        final long sges = NativeMemory.getLong(wr + SendWrDescriptor.SG_LIST_OFFSET);
        NativeMemory.putLong(to + SendWrDescriptor.NUM_SGE_OFFSET, shape);
        if ((flags & SendFlags.INLINE) == 0) {
            slots.copySges(to, sges, (int) shape, localKeys.snapshot(), member);
        } else if (!slots.copyInline(to, sges, (int) shape)) {
            return -Errno.EINVAL;
        }
        NativeMemory.putLong(
                to + SendWrDescriptor.SEND_FLAGS_OFFSET,
                flagsAndImm & IMM_MASK | hardwareFlags(flags, sequence) & 0xFFFF_FFFFL);
        messages += SendOpcodes.MESSAGES >>> opcode & 1;
        slots.keep(to, wr, flags, opcode, messages);
        producer = sequence + 1;
        prepare(to, wr, opcode, sequence);
        return 0;
    }

    /** What is known of the physical request by now: a SEND is complete, an RDMA request lacks its remote key. */
    private void prepare(final long to, final long wr, final int opcode, final long sequence) {
        if ((SendOpcodes.RDMA & 1 << opcode) != 0) {
            slots.copyTarget(to, wr);
        } else if (translated == sequence) {
            NativeMemory.putLong(to + SendWrDescriptor.WR_ID_OFFSET, PhysicalWrId.of(wrIdPrefix, sequence));
            translated = sequence + 1;
        }
    }

    /** Takes an atomic where they are carried; any other request that comes here is refused. */
    private int enqueueOther(final long wr, final int opcode, final int numSge) {
        final long sequence = producer;
        if (!accepting || atomics != AtomicCapability.NONE && SendOpcodes.isAtomic(opcode) && numSge != 1) {
            return -Errno.EINVAL;
        }
        if (atomics == AtomicCapability.NONE || !SendOpcodes.isAtomic(opcode)) {
            return SendOpcodes.refusal(opcode, numSge, maxSge);
        }
        if (sequence - (long) RETIRED.getAcquire(this) >= capacity) {
            return -Errno.ENOMEM;
        }
        final long to = slots.address(sequence);
        final int posted = NativeMemory.getInt(wr + SendWrDescriptor.SEND_FLAGS_OFFSET) & CARRIED_FLAGS;
        final int flags = posted & ~SendFlags.INLINE | alwaysFlags;
        slots.keepAtomic(to, wr, flags, messages, localKeys.snapshot(), member);
        NativeMemory.putInt(to + SendWrDescriptor.SEND_FLAGS_OFFSET, hardwareFlags(flags, sequence));
        producer = sequence + 1;
        if (emulated && atomicAt == NOT_HELD) {
            atomicAt = sequence;
            open = false;
        }
        return 0;
    }

    private void keptBack() {
        owner.onKeptBack();
        if (atomicAt != NOT_HELD) {
            resume();
        }
    }
}
