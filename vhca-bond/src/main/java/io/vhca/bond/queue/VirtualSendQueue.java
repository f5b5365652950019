package io.vhca.bond.queue;

import io.vhca.api.AtomicCapability;
import io.vhca.api.Errno;
import io.vhca.api.NativeMemory;
import io.vhca.api.QpCapabilities;
import io.vhca.api.QpInitAttributes;
import io.vhca.api.QueuePair;
import io.vhca.api.SendWrDescriptor;
import io.vhca.bond.config.BondConfig;
import io.vhca.bond.core.RewindPolicy;
import io.vhca.bond.memory.NativeBlock;
import io.vhca.recovery.RewindOutlook;
import io.vhca.recovery.RewindPlan;
import io.vhca.recovery.WriteReplay;
import io.vhca.recovery.wire.ReceiverCounts;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/**
 * The send queue of a connected vQP: a ring of native WQEs, written once by the application's post, translated in place
 * for the member in use, posted by pointer, and posted again after a failure.
 *
 * <pre>
 *   retired   posted   everPosted            heldFrom, atomicAt      producer
 *     |          |         |                         |                  |
 *     v          v         v                         v                  v
 *   --+----------+---------+-------------------------+------------------+-----
 *     | at the   | given to an earlier physical QP,  | waits though the |
 *     | hardware | or to none: goes out next         | gate is open     |
 * </pre>
 *
 * <p>Threads: as {@link VirtualQueue}; {@code hwCompleted} is the send CQ's gate's.
 */
public final class VirtualSendQueue extends SendRing {
    private static final long NOT_HELD = Long.MAX_VALUE;

    private final ConnectedQueueOwner owner;
    private final ConnectedSlots slots;
    private final SendTranslation translation;
    private final SendIntake intake;
    private final AtomicCapability atomics;
    private final boolean emulates;
    private WriteReplay writes = WriteReplay.REPLAY;
    private boolean emulated;
    private boolean confirms;

    /** Requests in [posted, translated), if any, carry the keys and the wr_id of the physical QP in use. */
    private long translated;
    /** The first request since the last RESET. */
    private long born;
    /** Where what is posted while nothing waits goes straight to; null while more is to be asked: {@link #postAny}. */
    private @Nullable QueuePair direct;
    /** The first atomic that the peer's bond must execute; what follows waits for it. */
    private long atomicAt = NOT_HELD;
    /** First request that waits though the gate is open: the vQP is in SQD. */
    private long heldFrom = NOT_HELD;
    /** The gate to hardware; {@code open} besides says that nothing is held behind it. */
    private boolean gateOpen;

    /** What {@code posted} was when it was set back for the last time, if that was more than it is now. */
    private long postedBefore;
    /** Requests before this one may have been executed by the peer, unless it is known better. */
    private long doubtfulUpTo;

    /** Success completions wait for the peer's bond; set before the first post. */
    private volatile boolean confirming;
    /** Successes are remembered, not reported. */
    private volatile boolean holdingBack;

    /** Known completed by hardware but kept back while draining; guarded by the send CQ's gate. */
    private long hwCompleted;

    /** What that takes of a block. */
    public static long bytes(final QpCapabilities cap, final BondConfig config) {
        return ConnectedSlots.bytes(cap, config);
    }

    /** The send queue of a queue pair that is created with those attributes, on a bond with that configuration. */
    public static VirtualSendQueue of(
            final ConnectedQueueOwner owner, final LocalKeys localKeys, final NativeBlock block,
            final QpInitAttributes init, final AtomicCapability atomics, final BondConfig config) {
        final QpCapabilities cap = init.cap();
        final VirtualSendQueue made = new VirtualSendQueue(
                owner, localKeys, ConnectedSlots.of(block, cap, config), cap.maxSendWr(), cap.maxSendSge(),
                init.sqSigAll(), atomics, config.emulatesAtomics());
        made.writes = config.writeReplay();
        made.confirming(config.confirmsByPeer());
        made.holdBack(false);
        return made;
    }

    VirtualSendQueue(
            final ConnectedQueueOwner owner,
            final LocalKeys localKeys,
            final ConnectedSlots slots,
            final int capacity,
            final int maxSge,
            final boolean sigAll,
            final AtomicCapability atomics,
            final boolean emulated) {
        super(owner, localKeys, capacity, maxSge, sigAll);
        this.owner = owner;
        this.slots = slots;
        this.atomics = atomics;
        emulates = emulated;
        this.emulated = emulated;
        translation = new SendTranslation(owner, slots);
        intake = new SendIntake(slots, translation, localKeys, alwaysFlags, signalMask);
    }

    @Override
    public ConnectedSlots slots() {
        return slots;
    }

    // ---- the application's side -------------------------------------------------------------------------------

    /** Takes a chain; see {@link QueuePair#postSend(long)}. */
    public int post(final long wrAddress) {
        enterOwn();
        try {
            final QueuePair qp = direct;
            if (qp == null || posted != producer || wrAddress == 0) {
                return postAny(wrAddress);
            }
            // Without a loop for a single request: what is kept for one takes the registers that it needs.
            return NativeMemory.getLong(wrAddress + SendWrDescriptor.NEXT_OFFSET) == 0
                    ? postOne(qp, wrAddress)
                    : postChain(qp, wrAddress);
        } finally {
            leave();
        }
    }

    private int postOne(final QueuePair qp, final long wr) {
        final long room = retired() + capacity;
        final LocalKeys.Snapshot keys = intake.keys();
        final long sequence = producer;
        final long to = slots.address(sequence);
        if (sequence == room || !intake.takeReady(wr, to, sequence, keys)) {
            return postAny(wr);
        }
        NativeMemory.putLong(to + SendWrDescriptor.NEXT_OFFSET, 0);
        give(qp, to, sequence, sequence + 1);
        return 1;
    }

    private int postChain(final QueuePair qp, final long first) {
        final long room = retired() + capacity;
        final LocalKeys.Snapshot keys = intake.keys();
        final long from = producer;
        final long head = slots.address(from);
        long sequence = from;
        long wr = first;
        long to = head;
        long last = 0;
        while (wr != 0 && sequence != room && intake.takeReady(wr, to, sequence, keys)) {
            sequence++;
            wr = NativeMemory.getLong(wr + SendWrDescriptor.NEXT_OFFSET);
            last = to;
            to = slots.address(sequence);
            NativeMemory.putLong(last + SendWrDescriptor.NEXT_OFFSET, to);
        }
        if (last == 0) {
            return postAny(first);
        }
        NativeMemory.putLong(last + SendWrDescriptor.NEXT_OFFSET, 0);
        give(qp, head, from, sequence);
        final int accepted = (int) (sequence - from);
        return wr == 0 ? accepted : accepted + Math.max(0, postAny(wr));
    }

    /** Gives the hardware the slots in [from, end), which are one chain and all that waits. */
    private void give(final QueuePair qp, final long first, final long from, final long end) {
        assert isInOrder() && open && accepting && from == posted && qp == physical : this;
        producer = end;
        final int taken = qp.postSend(first);
        if (taken == end - from) {
            posted = end;
        } else {
            gaveSome(from, end, taken);
        }
    }

    private void gaveSome(final long from, final long end, final int taken) {
        translated = end;
        posted = from + Math.max(0, taken);
        if (taken <= 0) {
            onRefused(taken);
        }
        backlog(true);
    }

    /** Any request, whatever waits. */
    private int postAny(final long wrAddress) {
        if (wrAddress == 0) {
            return 0;
        }
        translated = Math.max(translated, posted);
        // A single request is the common case; a loop around all of it costs more than its body.
        final int error = enqueueOne(wrAddress);
        if (error != 0) {
            return posted(wrAddress, error);
        }
        final long next = NativeMemory.getLong(wrAddress + SendWrDescriptor.NEXT_OFFSET);
        final int accepted = next == 0 ? 1 : 1 + enqueueChain(next);
        if (open) {
            pump(producer);
        } else {
            waitOn();
        }
        direct = accepting && open && maxSge > 0 && !slots.hasMarks() && !hasBacklog() && !isTraced() ? physical : null;
        return posted(wrAddress, accepted);
    }

    @Override
    protected void onChanged() {
        direct = null;
    }

    private void open(final boolean value) {
        open = value;
        direct = null;
    }

    /** How many of a chain were taken. */
    private int enqueueChain(final long first) {
        int accepted = 0;
        for (long wr = first; wr != 0; wr = NativeMemory.getLong(wr + SendWrDescriptor.NEXT_OFFSET)) {
            if (enqueueOne(wr) != 0) {
                break;
            }
            accepted++;
        }
        return accepted;
    }

    @Override
    protected int enqueueOne(final long wr) {
        final long sequence = producer;
        final long shape = NativeMemory.getLong(wr + SendWrDescriptor.NUM_SGE_OFFSET);
        final int opcode = (int) (shape >>> Integer.SIZE);
        if (!accepting
                || sequence - retired() >= capacity
                || Integer.compareUnsigned((int) shape, maxSge) > 0
                || (opcode & ~31 | ~SendOpcodes.SUPPORTED >>> opcode & 1) != 0) {
            return refused(wr, enqueueOther(wr, opcode, (int) shape));
        }
        final long to = slots.address(sequence);
        if (!intake.take(wr, to, sequence, shape)) {
            return -Errno.EINVAL;
        }
        producer = sequence + 1;
        // What is known of the physical request by now: a SEND is complete, an RDMA request lacks its remote key.
        if (translated == sequence && (SendOpcodes.RDMA & 1 << opcode) == 0) {
            intake.number(to, sequence);
            translated = sequence + 1;
        }
        return 0;
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
        if (isFull()) {
            return -Errno.ENOMEM;
        }
        intake.takeAtomic(wr, slots.address(sequence), sequence);
        producer = sequence + 1;
        if (emulated && atomicAt == NOT_HELD) {
            atomicAt = sequence;
            open(false);
        }
        return 0;
    }

    private void waitOn() {
        keptBack();
        if (atomicAt != NOT_HELD) {
            resume();
        }
    }

    /** First request that no hardware was ever given; a rewind does not set it back. */
    long everPosted() {
        return Math.max(postedBefore, posted);
    }

    // ---- the hardware's side ----------------------------------------------------------------------------------

    /** Gives the hardware all before {@code end} that it will take, as one chain. Inside the gate, while open. */
    private void pump(final long end) {
        final long from = posted;
        if (from == end) {
            return;
        }
        assert isInOrder() : this;
        if (translated != end) {
            translated = translation.translate(
                    Math.max(from, translated), end, localKeys.snapshot(), member, wrIdPrefix);
        }
        final long ready = translated;
        final QueuePair qp = physical;
        if (ready != from && qp != null) {
            final int taken = qp.postSend(slots.chain(from, ready));
            if (taken > 0) {
                posted = slots.given(from, taken);
            } else {
                onRefused(taken);
            }
        }
        backlog(posted != end);
    }

    /** Gives the hardware what waits and may go. Inside the gate. */
    private void resume() {
        open(gateOpen && heldFrom == NOT_HELD && atomicAt == NOT_HELD);
        if (gateOpen) {
            final long end = Math.min(producer, Math.min(heldFrom, atomicAt));
            translated = Math.min(translated, end);
            pump(end);
            if (atomicAt < heldFrom) {
                backlog(true);
                owner.onAtomicWaiting();
            }
        }
    }

    @Override
    protected void pumpWaiting() {
        if (!translation.isKeyMissing()) {
            resume();
        }
    }

    /** The key that the sends waited for has been asked for and answered. */
    public void onKeyResolved() {
        enter();
        try {
            translation.keyAnswered();
            resume();
        } finally {
            leave();
        }
    }

    // ---- completion, inside the send CQ's gate -----------------------------------------------------------------

    public boolean isHoldingBack() {
        return holdingBack;
    }

    /** While true, successes are remembered, not reported: the peer has the last word on them. */
    public void holdBack(final boolean value) {
        holdingBack = value || confirming;
    }

    public void holdBackThrough(final long sequence) {
        hwCompleted = Math.max(hwCompleted, sequence + 1);
    }

    /** Whatever comes before {@code end} is done: what asked for a completion has had it. */
    public void doneBefore(final long end) {
        if (holdingBack) {
            holdBackThrough(end - 1);
        } else if (end > retired()) {
            retireThrough(end - 1);
        }
    }

    // ---- recovery, control thread -------------------------------------------------------------------------------

    @Override
    protected void shut() {
        open(false);
        gateOpen = false;
    }

    /**
     * What no hardware was given yet waits until {@link #release}: a move to SQD.
     *
     * @param asked an atomic that the peer's bond was asked for is given too; -1 for none
     */
    public void hold(final long asked) {
        enter();
        heldFrom = Math.max(everPosted(), asked + 1);
        open(false);
        leave();
    }

    public void release() {
        enter();
        heldFrom = NOT_HELD;
        resume();
        leave();
    }

    /** True when all that was not held is completed. */
    public boolean isDrained() {
        enter();
        final boolean drained = retired() >= heldFrom;
        leave();
        return drained;
    }

    /** The atomic that waits for the peer's bond, once all before it is done; else -1. */
    public long dueAtomic() {
        enter();
        final boolean due = gateOpen && atomicAt < heldFrom && retired() == atomicAt;
        leave();
        return due ? atomicAt : -1;
    }

    /** True while an atomic waits for the peer's bond, or for what is before it. */
    public boolean hasAtomicWaiting() {
        enter();
        final boolean waiting = atomicAt != NOT_HELD;
        leave();
        return waiting;
    }

    /** The atomic is done and completed: what follows goes on. */
    public void passAtomic(final long sequence) {
        enter();
        if (atomicAt == sequence) {
            posted = Math.max(posted, sequence + 1);
            translated = Math.max(translated, posted);
            final long next = slots.nextAtomic(sequence + 1, producer);
            atomicAt = next < 0 ? NOT_HELD : next;
            resume();
        }
        leave();
    }

    /** Starts giving requests to the physical QP set by {@link #attach}, beginning with what waits. */
    public void openGate() {
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
    public void attach(
            final @Nullable QueuePair qp,
            final int ownMember,
            final long prefix,
            final @Nullable RemoteKeys keys) {
        assert !gateOpen : "another physical queue pair is in use";
        enter();
        take(qp, ownMember, prefix);
        intake.attach(ownMember, prefix);
        translation.keys(keys);
        translated = posted;
        leave();
    }

    /** Marks go there from now on. */
    public void markInto(final long wordAddress, final int wordKey, final long prefix) {
        enter();
        slots.markInto(wordAddress, wordKey, prefix);
        leave();
    }

    /** More keys may be known than when the physical QP was taken. */
    public void keys(final @Nullable RemoteKeys keys) {
        enter();
        translation.keys(keys);
        leave();
    }

    /**
     * Sets the physical producer back: everything from {@code sequence} on is posted again, what the peer has executed
     * before {@code committedUpTo} as placeholders. The gate is closed.
     */
    public void rewindTo(final long sequence, final long committedUpTo, final long inDoubtUpTo) {
        enter();
        assert !gateOpen && sequence <= everPosted() : "rewind to " + sequence + " of " + everPosted();
        postedBefore = everPosted();
        rewind(sequence);
        doubtfulUpTo = inDoubtUpTo;
        translated = sequence;
        translation.placeholdersUpTo(committedUpTo);
        hwCompleted = sequence;
        leave();
    }

    /** Oldest request at the hardware as seen in passing, from outside of the gate; -1 when there seems to be none. */
    public long oldestAtGlance() {
        final long oldest = retired();
        return oldest < postedAtGlance() ? oldest : -1;
    }

    /** Bytes of the requests from one sequence to another, estimated in passing, from outside of the gate. */
    public double bytesAtGlance(final long from, final long to) {
        return slots.bytesAtGlance(from, to);
    }

    /** Posts a request of the bond's own beside the application's; false when the hardware does not take it now. */
    public boolean postBeside(final long wr) {
        enter();
        final QueuePair qp = physical;
        final boolean taken = gateOpen && qp != null && qp.postSend(wr) == 1;
        leave();
        return taken;
    }

    /** Requests that consume a receive of the peer's, since the queue was born, or was in RESET. Inside the gate. */
    long messages() {
        return producer - born - intake.others();
    }

    /** Requests before this one may have been executed by the peer, unless it is known better. Inside the gate. */
    long doubtfulUpTo() {
        return doubtfulUpTo;
    }

    /** True for a request whose completion may carry the placeholder's opcode. */
    public boolean mayBePlaceholder(final long sequence) {
        return sequence < translation.placeholdersUpTo();
    }

    /** Messages are counted anew. */
    @Override
    protected void onReset() {
        born = producer;
        intake.reset();
        heldFrom = NOT_HELD;
        atomicAt = NOT_HELD;
    }

    /**
     * What becomes of the unfinished sends, given what the peer received. Inside the gate: a post at the same time
     * could otherwise be counted as a message before it is seen as a request, and the peer seem to lack one.
     */
    public RewindPlan judge(final RewindPolicy policy, final ReceiverCounts peer, final WriteReplay writes) {
        enter();
        try {
            return policy.plan(new RewindLog(this, translation), peer, writes);
        } finally {
            leave();
        }
    }

    @Override
    protected LongFunction<String> outlook() {
        return RewindOutlook.words(new RewindLog(this, translation), writes);
    }

    /**
     * Whether the peer has no bond: then requests go out as they are, none is followed by a mark, completions wait for
     * nobody's word, and atomics are the member's.
     */
    public void plain(final boolean value) {
        enter();
        emulated = emulates && !value;
        atomicAt = NOT_HELD;
        slots.plain(value);
        leave();
        confirming = confirms && !value;
    }

    public boolean isConfirming() {
        return confirming;
    }

    public void confirming(final boolean value) {
        confirms = value;
        confirming = value;
    }

    /** First request that may not complete with success when the vQP ends now. */
    public long doneSeq() {
        return confirming ? retired() : hwCompletedSeq();
    }

    @Override
    public long hwCompletedSeq() {
        return Math.max(hwCompleted, retired());
    }
}
