package io.vhca.bond.verbs;

import io.vhca.api.CompletionQueue;
import io.vhca.api.Errno;
import io.vhca.api.ProtectionDomain;
import io.vhca.api.QpAttrMask;
import io.vhca.api.QpAttributes;
import io.vhca.api.QpCapabilities;
import io.vhca.api.QpState;
import io.vhca.api.QpTransitions;
import io.vhca.api.QueuePair;
import io.vhca.api.VerbsException;
import io.vhca.bond.core.BondCore;
import io.vhca.bond.member.Member;
import io.vhca.bond.memory.NativeBlock;
import io.vhca.bond.queue.QueueOwner;
import io.vhca.bond.queue.SendRing;
import io.vhca.bond.queue.VirtualRecvQueue;
import io.vhca.bond.trace.TraceEventDescriptor;
import io.vhca.bond.wire.PhysicalWrId;
import io.vhca.recovery.wire.FailureReason;
import java.util.List;

/**
 * What the vQPs of all services share: two virtual queues that outlive the physical QPs under them, the CQs, the state,
 * what the data path notes, and the verbs that are the same for all.
 *
 * <pre>
 *   incarnation 1        2                  3         physical QPs, one after another
 *   |------------------| |----------------| |------>
 *   completions that name another incarnation than the present one are not seen
 * </pre>
 *
 * <p>Threads: posts go straight to the virtual queues in the caller's thread. What polling finds out is noted here and
 * told to the control thread ({@link QpNotes}). Everything else is done with the bond's control lock held.
 */
public abstract class VirtualQueuePair implements QueuePair, QueueOwner {
    private final QpReservation reservation;
    private final BondProtectionDomain pd;
    private final BondCore core;
    private final BondCompletionQueue sendCq;
    private final BondCompletionQueue recvCq;
    private final int index;
    private final int wrIdIndex;
    private final int qpNum;
    private final NativeBlock block;
    private final VirtualRecvQueue recvQueue;
    private final QpSettings settings;
    private final QpNotes notes = new QpNotes(this::onNoted);

    private volatile QpState state = QpState.RESET;
    private volatile int incarnation;
    /** What the wr_id of each send of this incarnation begins with. */
    private volatile long sendPrefix;
    private boolean closed;

    /**
     * Creates it.
     *
     * @param wrIdIndex stands for it in the wr_id of physical requests
     * @param sendBytes what its send queue takes of its block
     */
    @SuppressWarnings("this-escape") // the queue tells nothing before it is posted to
    protected VirtualQueuePair(final QpReservation reservation, final int wrIdIndex, final long sendBytes) {
        this.reservation = reservation;
        this.wrIdIndex = wrIdIndex;
        pd = reservation.pd();
        core = pd.scope().core();
        sendCq = reservation.sendCq();
        recvCq = reservation.recvCq();
        index = reservation.index();
        qpNum = reservation.qpNum();
        sendPrefix = wrIdPrefix(PhysicalWrId.KIND_SEND);
        settings = new QpSettings(core.counters());
        final QpCapabilities cap = reservation.init().cap();
        block = reservation.allocate(sendBytes + VirtualRecvQueue.bytes(cap.maxRecvWr(), cap.maxRecvSge()));
        core.traceQp(TraceEventDescriptor.MEMORY_ALLOCATED, qpNum, block.bytes(), block.address(), 0);
        recvQueue = new VirtualRecvQueue(this, pd.scope().keys(), block, cap.maxRecvWr(), cap.maxRecvSge());
        if (reservation.init().singleThreaded()) {
            recvQueue.isForOneThread();
        }
    }

    @Override
    public abstract SendRing sendQueue();

    /** Something was noted; the notes are to be taken. Any thread. */
    protected abstract void onNoted();

    /** Takes over what modifyQp sets, besides a state. */
    protected abstract void change(QpAttributes change, QpState to);

    /** Moves to another state, which the table of transitions allows. */
    protected abstract void enter(QpState to, QpAttributes change);

    /** Gives nothing more to hardware, for good. */
    protected abstract void leaveHardware();

    /** Nobody finds it any more. */
    protected abstract void unregister();

    protected abstract QpAttributes attributes();

    /** It is complete: it is known to hold its block, and what it does is traced, where that is asked for. */
    protected final void begin() {
        core.holds(this, block.bytes());
        core.traceQp(TraceEventDescriptor.QP_CREATED, qpNum, qpType().code(),
                capabilities().maxSendWr(), capabilities().maxRecvWr());
        assert block.isWhole() : "it begins with broken markers";
        sendQueue().isOf(qpNum);
        if (reservation.init().singleThreaded()) {
            sendQueue().isForOneThread();
        }
        recvQueue.isOf(qpNum);
        core.beginTrace(sendQueue());
        core.beginTrace(recvQueue);
    }

    private void endTrace() {
        core.endTrace(sendQueue());
        core.endTrace(recvQueue);
        core.traceQp(TraceEventDescriptor.QP_CLOSED, qpNum, sendQueue().retired(), recvQueue.received(), 0);
    }

    // ---- data path --------------------------------------------------------------------------------------------------

    @Override
    public final int postRecv(final long wrAddress) {
        return recvQueue.post(wrAddress);
    }

    @Override
    public final VirtualRecvQueue recvQueue() {
        return recvQueue;
    }

    public final boolean isIncarnation(final int physicalIncarnation) {
        return (incarnation & 0xFFFF) == physicalIncarnation;
    }

    /** What every wr_id of a send has on the physical QP in use, as {@link #wrIdPrefix}, for the data path. */
    public final long sendPrefix() {
        return sendPrefix;
    }

    /** Whoever sees the completion must find the queue pair in ERR; the rest follows in the control thread. */
    public final void onOwnError() {
        state = QpState.ERR;
        notes.add(QpNotes.APPLICATION_ERROR);
    }

    @Override
    public void onKeptBack() {
        if (state == QpState.ERR) {
            sendCq.onPostedInError();
            recvCq.onPostedInError();
            notes.add(QpNotes.POSTED_IN_ERROR);
        }
    }

    @Override
    public final void onPhysicalPostRefused(final int error) {
        notes.addPathFailure(error == -Errno.EIO ? FailureReason.DEVICE_FATAL : FailureReason.LOCAL_QP_ERROR);
    }

    @Override
    public final void onPostRefused(final String verb, final int index, final int error, final String why) {
        core.refusedPost(verb, this, index, error, why.isEmpty() ? stateRefusal(verb) : why);
    }

    private String stateRefusal(final String verb) {
        return verb.equals("postRecv") && srq() != null
                ? "the queue pair receives through its shared receive queue; post there"
                : "the queue pair is in " + state + "; sends are taken from RTS on, receives from INIT on";
    }

    @Override
    public final boolean isWhole() {
        return block.isWhole() && isSharedWhole();
    }

    /** Whether what it receives through is whole, where that is not its own. Any thread. */
    protected boolean isSharedWhole() {
        return true;
    }

    /** Which markers of that are broken; empty where all are whole. Control lock. */
    protected String sharedDamage() {
        return "";
    }

    @Override
    public final void onOverrun() {
        notes.add(QpNotes.OVERRUN);
    }

    // ---- control lock -----------------------------------------------------------------------------------------------

    public final QpNotes notes() {
        return notes;
    }

    /** Takes and clears what the data path noted. */
    public final int takeNotes() {
        final int taken = notes.take();
        if ((taken & QpNotes.POSTED_IN_ERROR) != 0 && !closed) {
            // What was posted is flushed when it is polled; who sleeps until there is something must be woken.
            sendCq.notifyIfArmed();
            recvCq.notifyIfArmed();
        }
        return taken;
    }

    @Override
    public final String damage() {
        assert core.holdsLock();
        if (closed) {
            return "";
        }
        final String damage = block.damage();
        return damage.isEmpty() ? sharedDamage() : damage;
    }

    @Override
    public final List<String> map() {
        assert core.holdsLock();
        return closed ? List.of() : block.map();
    }

    /** Says which of its markers are broken. */
    public final void tellOverrun() {
        core.traceQp(TraceEventDescriptor.MEMORY_OVERRUN, qpNum, block.bytes(), block.address(), 0);
        core.overran(this, damage());
    }

    /** It goes to ERR for a reason of the application's own: the status of a send that failed, 0 where it was none. */
    protected final void tellError(final int status, final int vendorErr) {
        core.failed(qpNum, state() != QpState.ERR, status, vendorErr);
    }

    /** Hardware is about to be given what its queues hold: throws EIO where their memory was overrun. */
    public final void requireWhole() {
        assert core.holdsLock();
        if (core.checksMarkers() && !isWhole()) {
            onOverrun();
            throw new VerbsException("createQp", Errno.EIO, toString(), "its memory was overrun: " + damage());
        }
    }

    public final QpSettings settings() {
        return settings;
    }

    public final BondProtectionDomain domain() {
        return pd;
    }

    protected final BondCore core() {
        return core;
    }

    @Override
    public final NativeBlock nativeBlock() {
        return block;
    }

    public final boolean isClosed() {
        return closed;
    }

    public final int index() {
        return index;
    }

    public final BondCompletionQueue bondSendCq() {
        return sendCq;
    }

    public final BondCompletionQueue bondRecvCq() {
        return recvCq;
    }

    /** A physical QP on that member begins (+1) or ceases (-1) to complete to its CQs. */
    public final void attachCqs(final Member member, final int change) {
        assert core.holdsLock();
        sendCq.attach(member, change);
        recvCq.attach(member, change);
        member.countQueuePairs(change);
        core.onMember(member.name(), this, change);
    }

    /**
     * Takes what the CQs hold, and keeps it for the application.
     *
     * @param mayEventsDie a member's own events may never be heard
     */
    public final void pollIntoOwed(final boolean mayEventsDie) {
        assert core.holdsLock();
        sendCq.pollIntoOwed(mayEventsDie);
        if (recvCq != sendCq) {
            recvCq.pollIntoOwed(mayEventsDie);
        }
    }

    /** Hands out success completions for the signaled requests before {@code end}, in posting order. */
    public final void completeOwed(final long end) {
        assert core.holdsLock();
        final SendRing sends = sendQueue();
        sendCq.oweAll(wc -> sends.completeNext(wc, end, qpNum));
    }

    /** Starts another incarnation: completions of the physical QP before are ignored from now on, and its failure. */
    public int nextIncarnation() {
        assert core.holdsLock();
        incarnation++;
        sendPrefix = wrIdPrefix(PhysicalWrId.KIND_SEND);
        // Whoever took a completion for one of the incarnation before has counted it once both gates were passed.
        sendCq.pass();
        recvCq.pass();
        notes.forgetFailure();
        return incarnation;
    }

    public final int incarnation() {
        return incarnation;
    }

    /** What every wr_id of that kind has on the physical QP in use. */
    public final long wrIdPrefix(final int kind) {
        return PhysicalWrId.prefix(kind, incarnation, wrIdIndex);
    }

    /** The virtual state, with what it means for posts. */
    public final void state(final QpState next) {
        assert core.holdsLock();
        final boolean looks = core.checksEachUse();
        recvQueue.accepting(next != QpState.RESET && srq() == null, looks);
        sendQueue().accepting(next == QpState.RTS || next == QpState.SQD || next == QpState.ERR, looks);
        if (state != next) {
            core.traceQp(TraceEventDescriptor.QP_STATE, qpNum, state.code(), next.code(), 0);
        }
        state = next;
    }

    /** Whatever is unfinished, and whatever is posted later, is flushed in order; in ERR, away from hardware. */
    protected final void flush() {
        assert state == QpState.ERR : "flushed in " + state;
        sendCq.addFlushSource(new QueueFlush(this, sendQueue()));
        recvCq.addFlushSource(new QueueFlush(this, recvQueue));
    }

    /** Begins another life, in RESET: everything that was posted, owed and told is forgotten. */
    protected final void forget() {
        sendCq.forget(this);
        recvCq.forget(this);
        notes.forget();
        sendQueue().reset();
        recvQueue.reset();
        settings.clear();
    }

    // ---- verbs ------------------------------------------------------------------------------------------------------

    @Override
    public final ProtectionDomain pd() {
        return pd;
    }

    @Override
    public final CompletionQueue sendCq() {
        return sendCq;
    }

    @Override
    public final CompletionQueue recvCq() {
        return recvCq;
    }

    @Override
    public final int qpNum() {
        return qpNum;
    }

    @Override
    public final QpState state() {
        return state;
    }

    @Override
    public final QpCapabilities capabilities() {
        return reservation.init().cap();
    }

    @Override
    public final void modify(final QpAttributes change) {
        core.lock();
        try {
            final QpState from = state;
            final QpState to = change.has(QpAttrMask.STATE) ? change.qpState() : from;
            final String wrong = judge(change, from, to);
            if (!wrong.isEmpty()) {
                throw new VerbsException("modifyQp", Errno.EINVAL, toString(), wrong);
            }
            change(change, to);
            if (to != from) {
                enter(to, change);
            }
        } finally {
            core.unlock();
        }
    }

    /** What is wrong with a change; empty when nothing is. */
    private String judge(final QpAttributes change, final QpState from, final QpState to) {
        if (closed) {
            return "the queue pair is closed";
        }
        if (change.has(QpAttrMask.CUR_STATE) && change.curQpState() != from) {
            return "it is in " + from + ", not in " + change.curQpState();
        }
        final String forbidden = QpTransitions.judge(qpType(), from, to, change.mask());
        return forbidden.isEmpty() ? QpSettings.judge(change, pd.scope()) : forbidden;
    }

    @Override
    public final QpAttributes query() {
        core.lock();
        try {
            return attributes();
        } finally {
            core.unlock();
        }
    }

    @Override
    public final void close() {
        core.lock();
        try {
            if (closed) {
                return;
            }
            closed = true;
            leaveHardware();
            state(QpState.RESET);
            unregister();
            endTrace();
            core.dropEvents(this);
            reservation.release(this);
            pd.childClosed(this);
            if (core.checksMarkers() && !block.isWhole()) {
                core.overran(this, block.damage()); // closed: damage() looks at nothing any more
            }
            core.traceQp(TraceEventDescriptor.MEMORY_FREED, qpNum, block.bytes(), block.address(), 0);
            block.close();
        } finally {
            core.unlock();
        }
    }

    @Override
    public final String toString() {
        return core.name() + " qp 0x" + Integer.toHexString(qpNum);
    }
}
