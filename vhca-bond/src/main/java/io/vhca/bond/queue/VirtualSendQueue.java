package io.vhca.bond.queue;

import io.vhca.api.AtomicCapability;
import io.vhca.api.Errno;
import io.vhca.api.QueuePair;
import io.vhca.bond.core.RewindPolicy;
import io.vhca.recovery.ReceiverCounts;
import io.vhca.recovery.RewindPlan;
import io.vhca.recovery.WriteReplay;
import org.jspecify.annotations.Nullable;

/**
 * The send queue of a vQP: a ring of native WQEs, written once by the application's post, translated in place for the
 * member in use, posted by pointer, and posted again after a failure.
 *
 * <p>Threads: as {@link SendRing}; {@code hwCompleted} is the send CQ's gate's.
 */
public final class VirtualSendQueue extends SendIntake {
    private final SendTranslation translation;

    /** First request that no hardware was ever given; a rewind does not set it back. */
    private long everPosted;
    /** Requests before this one may have been executed by the peer, unless it is known better. */
    private long doubtfulUpTo;

    /** Success completions wait for the peer's bond; set before the first post. */
    private volatile boolean confirming;

    /** Known completed by hardware but kept back while draining; guarded by the send CQ's gate. */
    private long hwCompleted;

    private boolean gateOpen;
    /** First request that waits though the gate is open: the vQP is in SQD. */
    private long heldFrom = NOT_HELD;
    private @Nullable QueuePair physical;

    public VirtualSendQueue(
            final ConnectedQueueOwner owner,
            final LocalKeys localKeys,
            final SendSlots slots,
            final int capacity,
            final int maxSge,
            final boolean sigAll,
            final AtomicCapability atomics,
            final boolean emulated) {
        super(owner, localKeys, slots, capacity, maxSge, sigAll, atomics, emulated);
        translation = new SendTranslation(owner, slots);
    }

    // ---- the hardware's side ----------------------------------------------------------------------------------

    /** Gives the hardware all before {@code end} that it will take, as one chain. Inside the gate, while open. */
    @Override
    void pump(final long end) {
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
        backlog(posted != end);
    }

    /** Gives the hardware what waits and may go. Inside the gate. */
    @Override
    void resume() {
        open = gateOpen && heldFrom == NOT_HELD && atomicAt == NOT_HELD;
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

    /** Tries again what waits; nothing happens while another thread is inside (it pumps itself). */
    public void pumpIfIdle() {
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

    public void holdBackThrough(final long sequence) {
        hwCompleted = Math.max(hwCompleted, sequence + 1);
    }

    /** Whatever comes before {@code end} is done: what asked for a completion has had it. */
    public void doneBefore(final long end, final boolean isHeldBack) {
        if (isHeldBack) {
            holdBackThrough(end - 1);
        } else if (end > retired) {
            retireThrough(end - 1);
        }
    }

    // ---- recovery, control thread -------------------------------------------------------------------------------

    /** Stops giving requests to hardware; posts only enqueue from now on. */
    public void closeGate() {
        enter();
        open = false;
        gateOpen = false;
        leave();
    }

    /**
     * What no hardware was given yet waits until {@link #release}: a move to SQD.
     *
     * @param asked an atomic that the peer's bond was asked for is given too; -1 for none
     */
    public void hold(final long asked) {
        enter();
        heldFrom = Math.max(everPosted, asked + 1);
        open = false;
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
            everPosted = Math.max(everPosted, posted);
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
        enter();
        physical = qp;
        member = ownMember;
        wrIdPrefix = prefix;
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
    public void keys(final RemoteKeys keys) {
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
        doubtfulUpTo = inDoubtUpTo;
        posted = sequence;
        translated = sequence;
        translation.placeholdersUpTo(committedUpTo);
        hwCompleted = sequence;
        leave();
    }

    /** Whether every request given to the hardware is back, when those before {@code flushedTo} were flushed. */
    public boolean isBack(final long flushedTo) {
        enter();
        final boolean back = posted <= Math.max(flushedTo, hwCompletedSeq());
        leave();
        return back;
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

    /** True for a request whose completion may carry the placeholder's opcode. */
    public boolean mayBePlaceholder(final long sequence) {
        return sequence < translation.placeholdersUpTo();
    }

    /** Forgets everything posted, and counts messages anew (a move to RESET); the gate is closed. */
    public void reset() {
        enter();
        posted = producer;
        translated = producer;
        everPosted = producer;
        hwCompleted = producer;
        messages = 0;
        backlog(false);
        heldFrom = NOT_HELD;
        atomicAt = NOT_HELD;
        leave();
        retireThrough(producer - 1);
    }

    /**
     * What becomes of the unfinished sends, given what the peer received. Inside the gate: a post at the same time
     * could otherwise be counted as a message before it is seen as a request, and the peer seem to lack one.
     */
    public RewindPlan judge(final RewindPolicy policy, final ReceiverCounts peer, final WriteReplay writes) {
        enter();
        try {
            return policy.plan(new SendQueueLog(this), peer, writes);
        } finally {
            leave();
        }
    }

    public boolean isConfirming() {
        return confirming;
    }

    public void confirming(final boolean value) {
        confirming = value;
    }

    /** First request that may not complete with success when the vQP ends now. */
    public long doneSeq() {
        return confirming ? retired() : hwCompletedSeq();
    }

    public long hwCompletedSeq() {
        return Math.max(hwCompleted, retired());
    }

    // What the gate guards, for who is inside: see SendQueueLog.

    long everPosted() {
        return everPosted;
    }

    long posted() {
        return posted;
    }

    /** Requests before this one are known to be executed by the peer. */
    long committedUpTo() {
        return translation.placeholdersUpTo();
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
