package io.vhca.bond.verbs;

import io.vhca.api.AsyncEvent;
import io.vhca.api.AsyncEventType;
import io.vhca.api.CompletionQueue;
import io.vhca.api.Errno;
import io.vhca.api.NativeMemory;
import io.vhca.api.ProtectionDomain;
import io.vhca.api.QpAttrMask;
import io.vhca.api.QpAttributes;
import io.vhca.api.QpCapabilities;
import io.vhca.api.QpInitAttributes;
import io.vhca.api.QpState;
import io.vhca.api.QpTransitions;
import io.vhca.api.QpType;
import io.vhca.api.QueuePair;
import io.vhca.api.SharedReceiveQueue;
import io.vhca.api.VerbsException;
import io.vhca.api.WcDescriptor;
import io.vhca.api.WcStatus;
import io.vhca.api.cm.CmId;
import io.vhca.bond.config.AtomicsMode;
import io.vhca.bond.config.ConfirmMode;
import io.vhca.bond.core.BondCore;
import io.vhca.bond.link.CarriedQp;
import io.vhca.bond.member.Member;
import io.vhca.bond.member.QueueCapacities;
import io.vhca.bond.queue.ConnectedQueueOwner;
import io.vhca.bond.queue.SendSlots;
import io.vhca.bond.queue.VirtualRecvQueue;
import io.vhca.bond.queue.VirtualSendQueue;
import io.vhca.bond.wire.PhysicalWrId;
import io.vhca.recovery.FailureReason;
import java.lang.foreign.Arena;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A vQP: virtual queues that outlive the physical QPs under them.
 *
 * <p>Threads: posts go straight to the virtual queues in the caller's thread. What polling finds out (a path failure, a
 * marker, a missing key) is noted here and told to the control thread by the {@link AttentionQueue}. Everything else
 * is done with the bond's control lock held.
 */
public final class BondQueuePair implements QueuePair, ConnectedQueueOwner {
    private final BondCore core;
    private final QpTable qps;
    private final BondProtectionDomain pd;
    private final BondCompletionQueue sendCq;
    private final BondCompletionQueue recvCq;
    private final @Nullable BondSharedReceiveQueue srq;
    private final QpCapabilities capabilities;
    private final int index;
    private final int qpNum;
    private final Arena arena = Arena.ofShared();
    private final QueueCapacities room;
    private final QpLedger ledger;
    private final VirtualSendQueue sendQueue;
    private final VirtualRecvQueue recvQueue;
    private final OwnRequests own;
    private final QpLifecycle lifecycle;
    private final QueueFlush sendFlush;
    private final QueueFlush recvFlush;
    private final QpSettings settings;
    private final QpNotes notes;

    private volatile QpState state = QpState.RESET;
    private volatile int incarnation;
    private volatile boolean holdingBack;

    private final SendError sendError = new SendError();
    private final QpAtomics atomics = new QpAtomics();
    private boolean closed;
    private boolean wasLastToldOf;

    /** See {@link QpCreation}. */
    BondQueuePair(
            final BondProtectionDomain pd,
            final QpInitAttributes init,
            final int index,
            final int qpNum,
            final AttentionQueue attention,
            final Function<BondQueuePair, QpLifecycle> lifecycles) {
        this.pd = pd;
        this.index = index;
        this.qpNum = qpNum;
        final VerbsScope scope = pd.scope();
        core = scope.core();
        qps = scope.qps();
        settings = new QpSettings(core.counters());
        notes = new QpNotes(this, attention);
        sendCq = (BondCompletionQueue) init.sendCq();
        recvCq = (BondCompletionQueue) init.recvCq();
        srq = (BondSharedReceiveQueue) init.srq();
        capabilities = init.cap();
        room = scope.limits().room(capabilities);
        ledger = new QpLedger(pd, room.marked());
        sendQueue = new VirtualSendQueue(
                this, scope.keys(), SendSlots.of(arena, capabilities, core.config()),
                capabilities.maxSendWr(), capabilities.maxSendSge(), init.sqSigAll(),
                scope.limits().attributes().atomicCap(), core.config().atomics() == AtomicsMode.EMULATED);
        recvQueue = new VirtualRecvQueue(
                this, scope.keys(), arena, capabilities.maxRecvWr(), capabilities.maxRecvSge());
        sendFlush = new QueueFlush(this, sendQueue, recvQueue, false);
        recvFlush = new QueueFlush(this, sendQueue, recvQueue, true);
        confirming(core.config().confirm() == ConfirmMode.PEER);
        own = new OwnRequests(sendQueue, recvQueue, srq != null);
        lifecycle = lifecycles.apply(this);
    }

    // ---- data path ------------------------------------------------------------------------------------------------

    @Override
    public int postSend(final long wrAddress) {
        return sendQueue.post(wrAddress);
    }

    @Override
    public int postRecv(final long wrAddress) {
        return recvQueue.post(wrAddress);
    }

    public VirtualSendQueue sendQueue() {
        return sendQueue;
    }

    public VirtualRecvQueue recvQueue() {
        return recvQueue;
    }

    boolean isIncarnation(final int physicalIncarnation) {
        return (incarnation & 0xFFFF) == physicalIncarnation;
    }

    boolean isHoldingBack() {
        return holdingBack;
    }

    /** Judges a completion that is no success; true when the application must see it. Inside a CQ's gate. */
    boolean onErrorCompletion(final long wc, final long wrId) {
        final int kind = PhysicalWrId.kind(wrId);
        final int status = NativeMemory.getInt(wc + WcDescriptor.STATUS_OFFSET);
        if (kind != PhysicalWrId.KIND_SEND && kind != PhysicalWrId.KIND_RECV) {
            own.onError(this, kind, status);
            return false;
        }
        if (status == WcStatus.WR_FLUSH_ERR.code()) {
            own.onFlushed(kind, wrId);
            return false;
        }
        final int vendorErr = NativeMemory.getInt(wc + WcDescriptor.VENDOR_ERR_OFFSET);
        final boolean isSend = kind == PhysicalWrId.KIND_SEND;
        final FailureReason reason = isSend
                ? lifecycle.classifySend(status, vendorErr, sendQueue.sequenceOf(wrId))
                : lifecycle.classifyReceive(status, vendorErr);
        if (reason != FailureReason.NONE) {
            onPathFailure(reason);
            return false;
        }
        if (isSend) {
            // Earlier successes may be held back: the control thread hands out all of it in order.
            onSendFailed(sendQueue.sequenceOf(wrId), status, vendorErr);
            return false;
        }
        final long sequence = recvQueue.sequenceOf(wrId);
        NativeMemory.putLong(wc + WcDescriptor.WR_ID_OFFSET, recvQueue.wrId(sequence));
        recvQueue.retireThrough(sequence);
        NativeMemory.putInt(wc + WcDescriptor.QP_NUM_OFFSET, qpNum);
        onReceiveError();
        return true;
    }

    /** Whoever sees the completion must find the queue pair in ERR; the rest follows in the control thread. */
    void onReceiveError() {
        state = QpState.ERR;
        notes.add(QpNotes.APPLICATION_ERROR);
    }

    public @Nullable BondSharedReceiveQueue bondSrq() {
        return srq;
    }

    /** A success was kept back: for the recovery under way, or until the peer's bond confirms it. */
    void onHeldBack() {
        if (sendQueue.isConfirming()) {
            notes.add(QpNotes.UNCONFIRMED);
        }
    }

    /** Whether successes are kept back until the peer's bond confirms them; before the first post. */
    public void confirming(final boolean value) {
        sendQueue.confirming(value);
        holdBack(false);
    }

    /** A send failed for the application's own reason. */
    public void onSendFailed(final long sequence, final int status, final int vendorErr) {
        if (sendError.first(sequence, status, vendorErr)) {
            notes.add(QpNotes.APPLICATION_ERROR);
        }
    }

    /** A request of the bond's own is back: done, or of a kind that comes back whatever becomes of it. */
    public void onOwnCompletion(final int kind) {
        if (kind == PhysicalWrId.KIND_PROBE) {
            sendQueue.doneBefore(own.covered(), holdingBack);
            onHeldBack();
            own.onProbeBack();
            if (sendQueue.hasBacklog()) {
                sendQueue.pumpIfIdle();
            }
        } else {
            own.onMarker(kind);
            notes.add(QpNotes.MARKER);
        }
    }

    void onPathFailure(final FailureReason reason) {
        notes.addPathFailure(reason);
    }

    @Override
    public void onPhysicalPostRefused(final int error) {
        onPathFailure(error == -Errno.EIO ? FailureReason.DEVICE_FATAL : FailureReason.LOCAL_QP_ERROR);
    }

    @Override
    public void onAtomicWaiting() {
        notes.add(QpNotes.ATOMIC);
    }

    @Override
    public void onRemoteKeyMissing(final int virtualKey) {
        notes.addMissingKey(virtualKey);
    }

    @Override
    public void onKeptBack() {
        if (state == QpState.ERR) {
            notes.add(QpNotes.POSTED_IN_ERROR);
        }
    }

    // ---- control thread -------------------------------------------------------------------------------------------

    /** Takes and clears what the data path noted. */
    public int takeNotes() {
        final int taken = notes.take();
        if ((taken & QpNotes.POSTED_IN_ERROR) != 0 && !closed) {
            // What was posted is flushed when it is polled; who sleeps until there is something must be woken.
            sendCq.notifyIfArmed();
            recvCq.notifyIfArmed();
        }
        return taken;
    }

    public QpNotes notes() {
        return notes;
    }

    public QpSettings settings() {
        return settings;
    }

    public OwnRequests own() {
        return own;
    }

    public QpLedger ledger() {
        return ledger;
    }

    /** Sends a probe over the path in use, unless one is under way. */
    public void probe() {
        own.probe(core.scratchWr(), PhysicalWrId.prefix(PhysicalWrId.KIND_PROBE, incarnation, index));
    }

    public SendError sendError() {
        return sendError;
    }

    public QpAtomics atomics() {
        return atomics;
    }

    /** What connects and recovers it. */
    public QpLifecycle lifecycle() {
        return lifecycle;
    }

    public BondProtectionDomain domain() {
        return pd;
    }

    public int index() {
        return index;
    }

    public BondCompletionQueue bondSendCq() {
        return sendCq;
    }

    public BondCompletionQueue bondRecvCq() {
        return recvCq;
    }

    /**
     * Creates a physical QP for this vQP.
     *
     * @throws VerbsException as the member says; nothing is left of it then
     */
    public CarriedQp createOn(final CmId id, final Member member) {
        final PhysicalSrq receives = srq == null ? null : srq.attach(member);
        final QueuePair created;
        try {
            settings.prepare(id);
            created = id.createQp(pd.on(member), physicalAttributes(member, receives));
        } catch (final VerbsException e) {
            if (receives != null) {
                receives.detach(0, this);
            }
            throw e;
        }
        if (receives != null) {
            receives.add(created.qpNum(), this);
        }
        attachCqs(member, 1);
        return new PhysicalQp(this, member, created, receives);
    }

    /** Room on each queue for the bond's own requests besides the application's. */
    private QpInitAttributes physicalAttributes(final Member member, final @Nullable PhysicalSrq receives) {
        return new QpInitAttributes(
                sendCq.on(member),
                recvCq.on(member),
                receives == null ? null : receives.queue(),
                room.physical(),
                QpType.RC,
                false);
    }

    void attachCqs(final Member member, final int change) {
        sendCq.attach(member, change);
        recvCq.attach(member, change);
        member.countQueuePairs(change);
    }

    /** Starts another incarnation: completions of the physical QP before are ignored from now on. */
    public int nextIncarnation() {
        incarnation++;
        // Whoever took a completion for one of the incarnation before has counted it once both gates were passed.
        sendCq.pass();
        recvCq.pass();
        own.reset();
        notes.forgetFailure();
        return incarnation;
    }

    public int incarnation() {
        return incarnation;
    }

    /** While true, successes of sends are remembered, not reported: the peer has the last word on them. */
    public void holdBack(final boolean value) {
        sendCq.enter();
        holdingBack = value || sendQueue.isConfirming();
        sendCq.leave();
    }

    /** The virtual state, with what it means for posts. */
    public void state(final QpState next) {
        recvQueue.accepting(next != QpState.RESET && srq == null);
        sendQueue.accepting(next == QpState.RTS || next == QpState.SQD || next == QpState.ERR);
        state = next;
    }

    /** In ERR for everybody who looks, before the completion that tells why can be polled. */
    public void announceError() {
        sendQueue.closeGate();
        state(QpState.ERR);
    }

    /** To ERR: whatever is unfinished, and whatever is posted later, is flushed in order. */
    public void enterError() {
        lifecycle.endSendDrain();
        sendQueue.closeGate();
        recvQueue.detach();
        state(QpState.ERR);
        holdBack(false);
        sendCq.addFlushSource(sendFlush);
        recvCq.addFlushSource(recvFlush);
        if (srq != null && !wasLastToldOf) {
            wasLastToldOf = true;
            core.raise(AsyncEvent.ofQp(AsyncEventType.QP_LAST_WQE_REACHED, this));
        }
    }

    // ---- verbs ------------------------------------------------------------------------------------------------------

    @Override
    public ProtectionDomain pd() {
        return pd;
    }

    @Override
    public CompletionQueue sendCq() {
        return sendCq;
    }

    @Override
    public CompletionQueue recvCq() {
        return recvCq;
    }

    @Override
    public @Nullable SharedReceiveQueue srq() {
        return srq;
    }

    @Override
    public QpType qpType() {
        return QpType.RC;
    }

    @Override
    public int qpNum() {
        return qpNum;
    }

    @Override
    public QpState state() {
        return state;
    }

    @Override
    public QpCapabilities capabilities() {
        return capabilities;
    }

    @Override
    public void modify(final QpAttributes change) {
        core.lock();
        try {
            final QpState from = state;
            final QpState to = change.has(QpAttrMask.STATE) ? change.qpState() : from;
            final String forbidden = QpTransitions.judge(QpType.RC, from, to, change.mask());
            final String wrong = closed ? "the queue pair is closed"
                    : forbidden.isEmpty() ? QpSettings.judge(change, pd.scope().limits().attributes()) : forbidden;
            if (!wrong.isEmpty()) {
                throw new VerbsException("modifyQp", Errno.EINVAL, toString(), wrong);
            }
            if (to == QpState.RTR) {
                lifecycle.requireOther(change);
            }
            settings.change(change, lifecycle.physical());
            if (to == from) {
                return;
            }
            switch (to) {
                case ERR -> lifecycle.onApplicationAbort();
                case RESET -> {
                    lifecycle.onApplicationAbort();
                    sendCq.removeFlushSource(sendFlush);
                    recvCq.removeFlushSource(recvFlush);
                    sendQueue.reset();
                    recvQueue.reset();
                    wasLastToldOf = false;
                    settings.clear();
                    sendError.clear();
                    atomics.clear();
                    state(QpState.RESET);
                    lifecycle.reset();
                }
                case RTR -> {
                    state(to);
                    lifecycle.onReadyToReceive(settings.told());
                }
                case RTS -> {
                    lifecycle.endSendDrain();
                    state(to);
                    sendQueue.release();
                    lifecycle.onReadyToSend(settings.told());
                }
                case SQD -> {
                    state(to);
                    sendQueue.hold(atomics.asked());
                    lifecycle.beginSendDrain(change.enSqdAsyncNotify() != 0);
                }
                default -> state(to);
            }
        } finally {
            core.unlock();
        }
    }

    @Override
    public QpAttributes query() {
        core.lock();
        try {
            return settings.query(state, lifecycle.physical(), lifecycle.peerQpNum());
        } finally {
            core.unlock();
        }
    }

    @Override
    public void close() {
        core.lock();
        try {
            if (closed) {
                return;
            }
            closed = true;
            lifecycle.close();
            sendQueue.closeGate();
            recvQueue.detach();
            state(QpState.RESET);
            qps.remove(this);
            core.dropEvents(this);
            sendCq.release(room.sends(), this);
            recvCq.release(room.recvs(), this);
            if (srq != null) {
                srq.unuse(this, recvCq);
            }
            ledger.close();
            pd.childClosed(this);
            arena.close();
        } finally {
            core.unlock();
        }
    }

    @Override
    public String toString() {
        return core.name() + " qp 0x" + Integer.toHexString(qpNum);
    }
}
