package io.vhca.bond;

import io.vhca.api.Errno;
import io.vhca.api.NativeMemory;
import io.vhca.api.QueuePair;
import io.vhca.api.SendFlags;
import io.vhca.api.SendWrDescriptor;
import io.vhca.api.SgeDescriptor;
import io.vhca.api.WrOpcode;
import io.vhca.recovery.SendLog;
import java.lang.foreign.Arena;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * The send queue of a vQP: a ring of native WQEs, written once by the application's post, translated in place for the
 * member in use, posted by pointer, and posted again after a failure.
 *
 * <pre>
 *   retired            posted              producer
 *     |  at the hardware  |  not given to it  |
 *     v                   v                   v
 *   --+-------------------+-------------------+-----  sequences, 64 bits, monotonic
 * </pre>
 *
 * <p>Threads: everything but {@code retired} and {@code hwCompleted} is read and written inside this gate;
 * {@code retired} is written inside the send CQ's gate and read here with acquire.
 */
final class VirtualSendQueue extends SpinGate implements SendLog {
    private static final VarHandle RETIRED;
    private static final int SUPPORTED_OPCODES = 1 << WrOpcode.RDMA_WRITE.code()
            | 1 << WrOpcode.RDMA_WRITE_WITH_IMM.code()
            | 1 << WrOpcode.SEND.code()
            | 1 << WrOpcode.SEND_WITH_IMM.code()
            | 1 << WrOpcode.RDMA_READ.code();
    private static final int RDMA_OPCODES = 1 << WrOpcode.RDMA_WRITE.code()
            | 1 << WrOpcode.RDMA_WRITE_WITH_IMM.code()
            | 1 << WrOpcode.RDMA_READ.code();
    private static final int MESSAGE_OPCODES = 1 << WrOpcode.RDMA_WRITE_WITH_IMM.code()
            | 1 << WrOpcode.SEND.code()
            | 1 << WrOpcode.SEND_WITH_IMM.code();
    private static final long IMM_MASK = 0xFFFF_FFFF_0000_0000L;
    private static final int CARRIED_FLAGS =
            SendFlags.FENCE | SendFlags.SIGNALED | SendFlags.SOLICITED | SendFlags.INLINE;

    static {
        try {
            RETIRED = MethodHandles.lookup().findVarHandle(VirtualSendQueue.class, "retired", long.class);
        } catch (final ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final BondQueuePair owner;
    private final LocalKeys localKeys;
    private final SendSlotDescriptor slot;
    private final long base;
    private final int mask;
    private final int capacity;
    private final int signalMask;
    private final int alwaysFlags;

    private long producer;
    private long posted;
    /** First request that no hardware was ever given; a rewind does not set it back. */
    private long everPosted;
    private long messages;
    /** Requests before this one that the peer has executed are posted as placeholders. */
    private long placeholdersUpTo;

    @SuppressWarnings({"FieldCanBeFinal", "FieldMayBeFinal"}) // written through RETIRED
    private long retired;

    /** Known completed by hardware but kept back while draining; guarded by the send CQ's gate. */
    private long hwCompleted;

    private boolean accepting;
    private boolean open;
    private @Nullable QueuePair physical;
    private int member;
    private int remoteMember;
    private long wrIdPrefix;
    private @Nullable RemoteKeys remoteKeys;
    private volatile boolean backlog;
    private int missingKey;

    VirtualSendQueue(
            final BondQueuePair owner,
            final LocalKeys localKeys,
            final Arena arena,
            final int capacity,
            final int maxSge,
            final int maxInline,
            final boolean sigAll) {
        this.owner = owner;
        this.localKeys = localKeys;
        this.capacity = capacity;
        slot = new SendSlotDescriptor(maxSge, maxInline);
        final int slots = Integer.highestOneBit(Math.max(1, capacity * 2 - 1));
        mask = slots - 1;
        // At least one signaled request a quarter of the ring, so that unsignaled runs do not fill the hardware's queue.
        signalMask = Math.max(1, Integer.highestOneBit(capacity) / 4) - 1;
        alwaysFlags = sigAll ? SendFlags.SIGNALED : 0;
        base = arena.allocate((long) slots * slot.size, 64).address();
        for (int i = 0; i < slots; i++) {
            final long wr = base + (long) i * slot.size;
            NativeMemory.putLong(wr + SendWrDescriptor.SG_LIST_OFFSET, wr + SendSlotDescriptor.SGE_OFFSET);
        }
    }

    private long address(final long sequence) {
        return base + (sequence & mask) * slot.size;
    }

    // ---- the application's side -------------------------------------------------------------------------------

    /** Takes a chain; see {@link QueuePair#postSend(long)}. */
    int post(final long wrAddress) {
        enter();
        try {
            int accepted = 0;
            int error = 0;
            for (long wr = wrAddress; wr != 0; wr = NativeMemory.getLong(wr + SendWrDescriptor.NEXT_OFFSET)) {
                error = enqueue(wr);
                if (error != 0) {
                    break;
                }
                accepted++;
            }
            if (open) {
                pump();
            }
            return accepted != 0 ? accepted : error;
        } finally {
            leave();
        }
    }

    private int enqueue(final long wr) {
        final long sequence = producer;
        if (!accepting) {
            return -Errno.EINVAL;
        }
        if (sequence - (long) RETIRED.getAcquire(this) >= capacity) {
            return -Errno.ENOMEM;
        }
        // Neighbouring 32-bit fields travel as one 64-bit word: num_sge and opcode, send_flags and imm_data.
        final long shape = NativeMemory.getLong(wr + SendWrDescriptor.NUM_SGE_OFFSET);
        final long flagsAndImm = NativeMemory.getLong(wr + SendWrDescriptor.SEND_FLAGS_OFFSET);
        final int numSge = (int) shape;
        final int opcode = (int) (shape >>> Integer.SIZE);
        if ((opcode & ~31) != 0 || (SUPPORTED_OPCODES & 1 << opcode) == 0) {
            return -Errno.EOPNOTSUPP;
        }
        if (numSge < 0 || numSge > slot.maxSge) {
            return -Errno.EINVAL;
        }
        final int flags = (int) flagsAndImm & CARRIED_FLAGS | alwaysFlags;
        final long to = address(sequence);
        NativeMemory.putLong(to + SendWrDescriptor.NUM_SGE_OFFSET, shape);
        NativeMemory.putLong(
                to + SendWrDescriptor.SEND_FLAGS_OFFSET,
                flagsAndImm & IMM_MASK | hardwareFlags(flags, sequence) & 0xFFFF_FFFFL);
        final long sges = NativeMemory.getLong(wr + SendWrDescriptor.SG_LIST_OFFSET);
        if ((flags & SendFlags.INLINE) == 0) {
            copySges(to, sges, numSge);
        } else if (!copyInline(to, sges, numSge)) {
            return -Errno.EINVAL;
        }
        if ((RDMA_OPCODES & 1 << opcode) != 0) {
            copyTarget(to, wr);
        }
        messages += MESSAGE_OPCODES >>> opcode & 1;
        NativeMemory.putLong(to + slot.wrIdOffset, NativeMemory.getLong(wr + SendWrDescriptor.WR_ID_OFFSET));
        NativeMemory.putLong(to + slot.messagesOffset, messages);
        NativeMemory.putInt(to + slot.flagsOffset, flags);
        NativeMemory.putInt(to + slot.opcodeOffset, opcode);
        producer = sequence + 1;
        return 0;
    }

    /** The application's flags, and a signal every so often: which requests get one depends on nothing else. */
    private int hardwareFlags(final int flags, final long sequence) {
        return (sequence & signalMask) == signalMask ? flags | SendFlags.SIGNALED : flags;
    }

    private void copyTarget(final long to, final long wr) {
        NativeMemory.putLong(
                to + SendWrDescriptor.RDMA_REMOTE_ADDR_OFFSET,
                NativeMemory.getLong(wr + SendWrDescriptor.RDMA_REMOTE_ADDR_OFFSET));
        NativeMemory.putInt(to + slot.vrkeyOffset, NativeMemory.getInt(wr + SendWrDescriptor.RDMA_RKEY_OFFSET));
    }

    private void copySges(final long to, final long sges, final int numSge) {
        int byteCount = 0;
        for (int i = 0; i < numSge; i++) {
            final long from = sges + (long) i * SgeDescriptor.SIZE;
            final long sge = to + SendSlotDescriptor.SGE_OFFSET + (long) i * SgeDescriptor.SIZE;
            final int length = SgeDescriptor.length(from);
            NativeMemory.putLong(sge + SgeDescriptor.ADDR_OFFSET, SgeDescriptor.addr(from));
            NativeMemory.putInt(sge + SgeDescriptor.LENGTH_OFFSET, length);
            NativeMemory.putInt(to + slot.vlkeyOffset + i * Integer.BYTES, SgeDescriptor.lkey(from));
            byteCount += length;
        }
        NativeMemory.putInt(to + slot.byteCountOffset, byteCount);
    }

    private boolean copyInline(final long to, final long sges, final int numSge) {
        int total = 0;
        for (int i = 0; i < numSge; i++) {
            final long from = sges + (long) i * SgeDescriptor.SIZE;
            final int length = SgeDescriptor.length(from);
            if (length < 0 || length > slot.maxInline - total) {
                return false;
            }
            NativeMemory.copy(SgeDescriptor.addr(from), to + slot.inlineOffset + total, length);
            total += length;
        }
        SgeDescriptor.write(to + SendSlotDescriptor.SGE_OFFSET, to + slot.inlineOffset, total, 0);
        NativeMemory.putInt(to + slot.vlkeyOffset, 0);
        NativeMemory.putInt(to + SendWrDescriptor.NUM_SGE_OFFSET, total == 0 ? 0 : 1);
        NativeMemory.putInt(to + slot.byteCountOffset, total);
        return true;
    }

    // ---- the hardware's side ----------------------------------------------------------------------------------

    /** Gives the hardware all that it will take, as one chain. Inside the gate, while open. */
    private void pump() {
        final long from = posted;
        final long end = producer;
        if (from == end) {
            return;
        }
        final LocalKeys.Snapshot keys = localKeys.snapshot();
        final long first = address(from);
        long previous = 0;
        long sequence = from;
        while (sequence != end) {
            final long wr = address(sequence);
            if (!translate(wr, sequence, keys)) {
                break;
            }
            if (previous != 0) {
                NativeMemory.putLong(previous + SendWrDescriptor.NEXT_OFFSET, wr);
            }
            previous = wr;
            sequence++;
        }
        int taken = 0;
        final QueuePair qp = physical;
        if (previous != 0 && qp != null) {
            NativeMemory.putLong(previous + SendWrDescriptor.NEXT_OFFSET, 0);
            taken = qp.postSend(first);
            if (taken > 0) {
                posted = from + taken;
                everPosted = Math.max(everPosted, posted);
            } else if (taken != -Errno.ENOMEM) {
                open = false;
                owner.onPhysicalPostRefused(taken);
            }
        }
        final boolean left = posted != end;
        if (backlog != left) {
            backlog = left;
        }
    }

    /** Makes the slot ready for the member in use; false when its remote key must be asked for first. */
    private boolean translate(final long wr, final long sequence, final LocalKeys.Snapshot keys) {
        if (sequence < placeholdersUpTo && !needsResponse(sequence)) {
            makePlaceholder(wr, sequence);
            return true;
        }
        final int numSge = NativeMemory.getInt(wr + SendWrDescriptor.NUM_SGE_OFFSET);
        for (int i = 0; i < numSge; i++) {
            final int vlkey = NativeMemory.getInt(wr + slot.vlkeyOffset + i * Integer.BYTES);
            NativeMemory.putInt(
                    wr + SendSlotDescriptor.SGE_OFFSET + (long) i * SgeDescriptor.SIZE + SgeDescriptor.LKEY_OFFSET,
                    keys.lkey(vlkey, member));
        }
        if ((RDMA_OPCODES & 1 << NativeMemory.getInt(wr + SendWrDescriptor.OPCODE_OFFSET)) != 0
                && !translateRemoteKey(wr)) {
            return false;
        }
        NativeMemory.putLong(wr + SendWrDescriptor.WR_ID_OFFSET, PhysicalWrId.of(wrIdPrefix, sequence));
        return true;
    }

    /**
     * A request that the peer has executed, behind a READ that it must answer again: a write of nothing keeps its place
     * in the order of completions and touches no memory (no key is checked for zero bytes, IBA C9-88).
     */
    private void makePlaceholder(final long wr, final long sequence) {
        NativeMemory.putInt(wr + SendWrDescriptor.OPCODE_OFFSET, WrOpcode.RDMA_WRITE.code());
        NativeMemory.putInt(wr + SendWrDescriptor.NUM_SGE_OFFSET, 0);
        NativeMemory.putInt(wr + SendWrDescriptor.SEND_FLAGS_OFFSET, SendFlags.SIGNALED);
        NativeMemory.putLong(wr + SendWrDescriptor.RDMA_REMOTE_ADDR_OFFSET, 0);
        NativeMemory.putInt(wr + SendWrDescriptor.RDMA_RKEY_OFFSET, 0);
        NativeMemory.putLong(wr + SendWrDescriptor.WR_ID_OFFSET, PhysicalWrId.of(wrIdPrefix, sequence));
    }

    private boolean translateRemoteKey(final long wr) {
        final int vrkey = NativeMemory.getInt(wr + slot.vrkeyOffset);
        final RemoteKeys table = remoteKeys;
        final RemoteKeys.Entry entry = table == null ? null : table.find(vrkey);
        if (entry == null) {
            if (missingKey != vrkey) {
                missingKey = vrkey;
                owner.onRemoteKeyMissing(vrkey);
            }
            return false;
        }
        final int[] rkeys = entry.rkeys();
        NativeMemory.putInt(
                wr + SendWrDescriptor.RDMA_RKEY_OFFSET,
                remoteMember < rkeys.length ? rkeys[remoteMember] : LocalKeys.INVALID);
        return true;
    }

    /** True when requests wait that the hardware, or a missing key, did not let through. */
    boolean hasBacklog() {
        return backlog;
    }

    /** Tries again what waits; nothing happens while another thread is inside (it pumps itself). */
    void pumpIfIdle() {
        if (tryEnter()) {
            try {
                if (open && missingKey == 0) {
                    pump();
                }
            } finally {
                leave();
            }
        }
    }

    /** The key that the sends waited for has been asked for and answered. */
    void onKeyResolved() {
        enter();
        try {
            missingKey = 0;
            if (open) {
                pump();
            }
        } finally {
            leave();
        }
    }

    // ---- completion, inside the send CQ's gate -----------------------------------------------------------------

    long retired() {
        return (long) RETIRED.getAcquire(this);
    }

    /** The full sequence of a physical completion. */
    long sequenceOf(final long physicalWrId) {
        return PhysicalWrId.sequence(physicalWrId, retired);
    }

    void retireThrough(final long sequence) {
        RETIRED.setRelease(this, sequence + 1);
    }

    void holdBackThrough(final long sequence) {
        hwCompleted = Math.max(hwCompleted, sequence + 1);
    }

    boolean isSignaled(final long sequence) {
        return (NativeMemory.getInt(address(sequence) + slot.flagsOffset) & SendFlags.SIGNALED) != 0;
    }

    long wrId(final long sequence) {
        return NativeMemory.getLong(address(sequence) + slot.wrIdOffset);
    }

    int opcode(final long sequence) {
        return NativeMemory.getInt(address(sequence) + slot.opcodeOffset);
    }

    int byteCount(final long sequence) {
        return NativeMemory.getInt(address(sequence) + slot.byteCountOffset);
    }

    // ---- recovery, control thread -------------------------------------------------------------------------------

    /** Whether posts are taken at all: the vQP is in RTS, SQD or ERR. */
    void accepting(final boolean value) {
        enter();
        accepting = value;
        leave();
    }

    /** Stops giving requests to hardware; posts only enqueue from now on. */
    void closeGate() {
        enter();
        open = false;
        leave();
    }

    /** Starts giving requests to the physical QP set by {@link #attach}, beginning with what waits. */
    void openGate() {
        enter();
        try {
            open = true;
            missingKey = 0;
            pump();
        } finally {
            leave();
        }
    }

    /** Takes another physical QP; the gate must be closed. */
    void attach(
            final @Nullable QueuePair qp,
            final int ownMember,
            final int peerMember,
            final long prefix,
            final @Nullable RemoteKeys keys) {
        enter();
        physical = qp;
        member = ownMember;
        remoteMember = peerMember;
        wrIdPrefix = prefix;
        remoteKeys = keys;
        leave();
    }

    /**
     * Sets the physical producer back: everything from {@code sequence} on is posted again, what the peer has executed
     * before {@code committedUpTo} as placeholders. The gate is closed.
     */
    void rewindTo(final long sequence, final long committedUpTo) {
        enter();
        posted = sequence;
        placeholdersUpTo = committedUpTo;
        hwCompleted = sequence;
        leave();
    }

    /** True for a request whose completion may carry the placeholder's opcode. */
    boolean mayBePlaceholder(final long sequence) {
        return sequence < placeholdersUpTo;
    }

    /** Forgets everything posted (a move to RESET); the gate is closed. */
    void reset() {
        enter();
        posted = producer;
        everPosted = producer;
        hwCompleted = producer;
        backlog = false;
        leave();
        retireThrough(producer - 1);
    }

    long producerInside() {
        enter();
        final long value = producer;
        leave();
        return value;
    }

    @Override
    public long consumerSeq() {
        return retired();
    }

    @Override
    public long hwCompletedSeq() {
        return Math.max(hwCompleted, retired());
    }

    @Override
    public long postedSeq() {
        return everPosted;
    }

    @Override
    public long producerSeq() {
        return producer;
    }

    @Override
    public long completedMessages() {
        final long consumer = retired();
        if (consumer == producer) {
            return messages;
        }
        final long through = NativeMemory.getLong(address(consumer) + slot.messagesOffset);
        return consumesReceive(consumer) ? through - 1 : through;
    }

    @Override
    public boolean consumesReceive(final long sequence) {
        return (MESSAGE_OPCODES & 1 << opcode(sequence)) != 0;
    }

    @Override
    public boolean needsResponse(final long sequence) {
        return opcode(sequence) == WrOpcode.RDMA_READ.code();
    }
}
