package io.vhca.bond;

import io.vhca.api.Errno;
import io.vhca.api.NativeMemory;
import io.vhca.api.QueuePair;
import io.vhca.api.SendFlags;
import io.vhca.api.SendWrDescriptor;
import io.vhca.recovery.PeerCounts;
import io.vhca.recovery.RewindPlan;
import io.vhca.recovery.WriteReplay;
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
final class VirtualSendQueue extends SpinGate {
    private static final VarHandle RETIRED;
    private static final long NOT_HELD = Long.MAX_VALUE;
    private static final VarHandle POSTED;
    private static final long IMM_MASK = 0xFFFF_FFFF_0000_0000L;
    private static final int CARRIED_FLAGS =
            SendFlags.FENCE | SendFlags.SIGNALED | SendFlags.SOLICITED | SendFlags.INLINE;

    static {
        try {
            final MethodHandles.Lookup lookup = MethodHandles.lookup();
            RETIRED = lookup.findVarHandle(VirtualSendQueue.class, "retired", long.class);
            POSTED = lookup.findVarHandle(VirtualSendQueue.class, "posted", long.class);
        } catch (final ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final QueueOwner owner;
    private final LocalKeys localKeys;
    private final SendSlots slots;
    private final SendTranslation translation;
    private final int maxSge;
    private final int capacity;
    private final int signalMask;
    private final int alwaysFlags;

    private long producer;
    private long posted;
    /** Requests in [posted, translated) carry the keys and the wr_id of the physical QP in use. */
    private long translated;
    /** First request that no hardware was ever given; a rewind does not set it back. */
    private long everPosted;
    private long messages;
    /** Requests before this one may have been executed by the peer, unless it is known better. */
    private long doubtfulUpTo;

    @SuppressWarnings({"FieldCanBeFinal", "FieldMayBeFinal"}) // written through RETIRED
    private long retired;

    /** Known completed by hardware but kept back while draining; guarded by the send CQ's gate. */
    private long hwCompleted;

    private boolean accepting;
    /** What is posted goes to the hardware: the gate is open and nothing is held. */
    private boolean open;

    private boolean gateOpen;
    /** First request that waits though the gate is open: the vQP is in SQD. */
    private long heldFrom = NOT_HELD;
    private @Nullable QueuePair physical;
    private int member;
    private long wrIdPrefix;
    private volatile boolean backlog;

    VirtualSendQueue(
            final QueueOwner owner,
            final LocalKeys localKeys,
            final SendSlots slots,
            final int capacity,
            final int maxSge,
            final boolean sigAll) {
        this.owner = owner;
        this.localKeys = localKeys;
        this.capacity = capacity;
        this.maxSge = maxSge;
        this.slots = slots;
        translation = new SendTranslation(owner, slots);
        // At least one signaled request a quarter of the ring, so that unsignaled ones do not fill the hardware's.
        signalMask = Math.max(1, Integer.highestOneBit(capacity) / 4) - 1;
        alwaysFlags = sigAll ? SendFlags.SIGNALED : 0;
    }

    // ---- the application's side -------------------------------------------------------------------------------

    /** Takes a chain; see {@link QueuePair#postSend(long)}. */
    int post(final long wrAddress) {
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
            return accepting ? SendOpcodes.refusal(opcode, (int) shape, maxSge) : -Errno.EINVAL;
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
        if ((SendOpcodes.RDMA & 1 << opcode) != 0) {
            slots.copyTarget(to, wr);
        } else if (translated == sequence) {
            NativeMemory.putLong(to + SendWrDescriptor.WR_ID_OFFSET, PhysicalWrId.of(wrIdPrefix, sequence));
            translated = sequence + 1;
        }
        return 0;
    }

    /** The application's flags, and a signal every so often: which requests get one depends on nothing else. */
    private int hardwareFlags(final int flags, final long sequence) {
        return (sequence & signalMask) == signalMask ? flags | SendFlags.SIGNALED : flags;
    }

    // ---- the hardware's side ----------------------------------------------------------------------------------

    /** Gives the hardware all before {@code end} that it will take, as one chain. Inside the gate, while open. */
    private void pump(final long end) {
        final long from = posted;
        if (from == end) {
            return;
        }
        if (translated != end) {
            translated = translation.translate(
                    Math.max(from, translated), end, localKeys.snapshot(), member, wrIdPrefix);
        }
        final long ready = translated;
        final QueuePair qp = physical;
        if (ready != from && qp != null) {
            final long first = slots.link(from, ready);
            final int taken = qp.postSend(first);
            if (taken > 0) {
                posted = slots.given(from, taken);
                everPosted = Math.max(everPosted, posted);
            } else if (taken != -Errno.ENOMEM) {
                open = false;
                gateOpen = false;
                owner.onPhysicalPostRefused(taken);
            }
        }
        final boolean left = posted != end;
        if (backlog != left) {
            backlog = left;
        }
    }

    /** Gives the hardware what waits and may go. Inside the gate. */
    private void resume() {
        open = gateOpen && heldFrom == NOT_HELD;
        if (gateOpen) {
            final long end = Math.min(producer, heldFrom);
            translated = Math.min(translated, end);
            pump(end);
        }
    }

    /** True when requests wait that the hardware, or a missing key, did not let through. */
    boolean hasBacklog() {
        return backlog;
    }

    /** Tries again what waits; nothing happens while another thread is inside (it pumps itself). */
    void pumpIfIdle() {
        if (tryEnter()) {
            try {
                if (!translation.isKeyMissing()) {
                    resume();
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
            translation.keyAnswered();
            resume();
        } finally {
            leave();
        }
    }

    // ---- completion, inside the send CQ's gate -----------------------------------------------------------------

    long retired() {
        return (long) RETIRED.getAcquire(this);
    }

    /** What the application posted. */
    SendSlots slots() {
        return slots;
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

    /** Whatever comes before {@code end} is done: what asked for a completion has had it. */
    void doneBefore(final long end, final boolean isHeldBack) {
        if (isHeldBack) {
            holdBackThrough(end - 1);
        } else if (end > retired) {
            retireThrough(end - 1);
        }
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
        gateOpen = false;
        leave();
    }

    /** What no hardware was given yet waits until {@link #release}: a move to SQD. */
    void hold() {
        enter();
        heldFrom = everPosted;
        open = false;
        leave();
    }

    void release() {
        enter();
        heldFrom = NOT_HELD;
        resume();
        leave();
    }

    /** True when all that was not held is completed. */
    boolean isDrained() {
        enter();
        final boolean drained = retired() >= heldFrom;
        leave();
        return drained;
    }

    /** Starts giving requests to the physical QP set by {@link #attach}, beginning with what waits. */
    void openGate() {
        enter();
        try {
            gateOpen = true;
            translation.keyAnswered();
            resume();
        } finally {
            leave();
        }
    }

    /** Takes another physical QP; the gate must be closed. */
    void attach(
            final @Nullable QueuePair qp,
            final int ownMember,
            final long prefix,
            final @Nullable RemoteKeys keys) {
        enter();
        physical = qp;
        member = ownMember;
        wrIdPrefix = prefix;
        translation.keys(keys);
        translated = posted;
        leave();
    }

    /** Marks go there from now on. */
    void markInto(final long wordAddress, final int wordKey, final long prefix) {
        enter();
        slots.markInto(wordAddress, wordKey, prefix);
        leave();
    }

    /** More keys may be known than when the physical QP was taken. */
    void keys(final RemoteKeys keys) {
        enter();
        translation.keys(keys);
        leave();
    }

    /**
     * Sets the physical producer back: everything from {@code sequence} on is posted again, what the peer has executed
     * before {@code committedUpTo} as placeholders. The gate is closed.
     */
    void rewindTo(final long sequence, final long committedUpTo, final long inDoubtUpTo) {
        enter();
        doubtfulUpTo = inDoubtUpTo;
        posted = sequence;
        translated = sequence;
        translation.placeholdersUpTo(committedUpTo);
        hwCompleted = sequence;
        leave();
    }

    /** Whether every request given to the hardware is back, when those before {@code flushedTo} were flushed. */
    boolean isBack(final long flushedTo) {
        enter();
        final boolean back = posted <= Math.max(flushedTo, hwCompletedSeq());
        leave();
        return back;
    }

    /** Oldest request at the hardware as seen in passing, from outside of the gate; -1 when there seems to be none. */
    long oldestAtGlance() {
        final long oldest = retired();
        return oldest < (long) POSTED.getOpaque(this) ? oldest : -1;
    }

    /** The oldest unfinished request, when the hardware has one that must complete; else -1. */
    long oldestAwaited() {
        enter();
        final long oldest = retired();
        final boolean awaited = slots.hasSignaled(oldest, posted);
        leave();
        return awaited ? oldest : -1;
    }

    /** Posts a request of the bond's own beside the application's; false when the hardware does not take it now. */
    boolean postBeside(final long wr) {
        enter();
        final QueuePair qp = physical;
        final boolean taken = gateOpen && qp != null && qp.postSend(wr) == 1;
        leave();
        return taken;
    }

    /** True for a request whose completion may carry the placeholder's opcode. */
    boolean mayBePlaceholder(final long sequence) {
        return sequence < translation.placeholdersUpTo();
    }

    /** Forgets everything posted, and counts messages anew (a move to RESET); the gate is closed. */
    void reset() {
        enter();
        posted = producer;
        translated = producer;
        everPosted = producer;
        hwCompleted = producer;
        messages = 0;
        backlog = false;
        heldFrom = NOT_HELD;
        leave();
        retireThrough(producer - 1);
    }

    /**
     * What becomes of the unfinished sends, given what the peer received. Inside the gate: a post at the same time
     * could otherwise be counted as a message before it is seen as a request, and the peer seem to lack one.
     */
    RewindPlan judge(final RewindPolicy policy, final PeerCounts peer, final WriteReplay writes) {
        enter();
        try {
            return policy.plan(new SendQueueLog(this), peer, writes);
        } finally {
            leave();
        }
    }

    long producerInside() {
        enter();
        final long value = producer;
        leave();
        return value;
    }

    long postedInside() {
        enter();
        final long value = posted;
        leave();
        return value;
    }

    long hwCompletedSeq() {
        return Math.max(hwCompleted, retired());
    }

    // What the gate guards, for who is inside: see SendQueueLog.

    long everPosted() {
        return everPosted;
    }

    long posted() {
        return posted;
    }

    long doubtfulUpTo() {
        return doubtfulUpTo;
    }

    long producer() {
        return producer;
    }

    long messages() {
        return messages;
    }
}
