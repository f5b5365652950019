package io.vhca.bond.verbs;

import io.vhca.api.AccessFlags;
import io.vhca.api.AsyncEvent;
import io.vhca.api.AsyncEventType;
import io.vhca.api.QpAttrMask;
import io.vhca.api.QpAttributes;
import io.vhca.api.QpState;
import io.vhca.api.QpType;
import io.vhca.api.SharedReceiveQueue;
import io.vhca.api.VerbsException;
import io.vhca.api.cm.CmId;
import io.vhca.bond.link.CarriedQp;
import io.vhca.bond.member.Member;
import io.vhca.bond.member.QueueCapacities;
import io.vhca.bond.queue.ConnectedQueueOwner;
import io.vhca.bond.queue.SendError;
import io.vhca.bond.queue.VirtualSendQueue;
import io.vhca.bond.wire.PhysicalWrId;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A connected vQP (RC). Its physical QPs are created for connections that its {@link QpLifecycle} makes and recovers.
 *
 * <p>Threads: as {@link VirtualQueuePair}.
 */
public final class BondQueuePair extends VirtualQueuePair implements ConnectedQueueOwner {
    private final @Nullable BondSharedReceiveQueue srq;
    private final AttentionQueue<BondQueuePair> attention;
    private final QueueCapacities room;
    private final QpLedger ledger;
    private final VirtualSendQueue sendQueue;
    private final OwnRequests own;
    private final QpLifecycle lifecycle;
    private final SendError sendError = new SendError();
    private final QpAtomics atomics = new QpAtomics();
    private boolean wasLastToldOf;

    /** See {@link QpCreation}. */
    BondQueuePair(
            final QpReservation reservation,
            final QueueCapacities room,
            final AttentionQueue<BondQueuePair> attention,
            final Function<BondQueuePair, QpLifecycle> lifecycles) {
        super(
                reservation, reservation.index(),
                VirtualSendQueue.bytes(reservation.init().cap(), reservation.pd().scope().core().config()));
        this.attention = attention;
        this.room = room;
        srq = (BondSharedReceiveQueue) reservation.init().srq();
        final VerbsScope scope = domain().scope();
        ledger = new QpLedger(domain(), room.marked());
        sendQueue = VirtualSendQueue.of(
                this, scope.keys(), nativeBlock(), reservation.init(), scope.limits().attributes().atomicCap(),
                core().config());
        own = new OwnRequests(sendQueue, recvQueue(), srq != null, notes(), ledger);
        lifecycle = lifecycles.apply(this);
    }

    // ---- data path ------------------------------------------------------------------------------------------------

    @Override
    public int postSend(final long wrAddress) {
        return sendQueue.post(wrAddress);
    }

    @Override
    public VirtualSendQueue sendQueue() {
        return sendQueue;
    }

    @Override
    protected void onNoted() {
        attention.add(this);
    }

    public @Nullable BondSharedReceiveQueue bondSrq() {
        return srq;
    }

    /** A success was kept back: for the recovery under way, or until the peer's bond confirms it. */
    void onHeldBack() {
        if (sendQueue.isConfirming()) {
            notes().add(QpNotes.UNCONFIRMED);
        }
    }

    /** A send failed for the application's own reason. */
    public void onSendFailed(final long sequence, final int status, final int vendorErr) {
        if (sendError.first(sequence, status, vendorErr)) {
            notes().add(QpNotes.APPLICATION_ERROR);
        }
    }

    @Override
    public void onAtomicWaiting() {
        notes().add(QpNotes.ATOMIC);
    }

    @Override
    public void onRemoteKeyMissing(final int virtualKey) {
        notes().addMissingKey(virtualKey);
    }

    // ---- control thread -------------------------------------------------------------------------------------------

    public OwnRequests own() {
        return own;
    }

    public QpLedger ledger() {
        return ledger;
    }

    /** Sends a probe over the path in use, unless one is under way. */
    public void probe() {
        assert core().holdsLock();
        own.probe(core().scratchWr(), wrIdPrefix(PhysicalWrId.KIND_PROBE));
    }

    public SendError sendError() {
        return sendError;
    }

    /** True once the peer wrote a mark, or had an atomic executed: both are kept by its sequences. */
    public boolean remembersPeer() {
        return ledger.marked() > 0 || atomics.executed() >= 0;
    }

    public QpAtomics atomics() {
        return atomics;
    }

    /** Whether its peer may ask for atomics at all: it may where nothing was said, as by the connection manager. */
    public boolean servesAtomics() {
        final QpAttributes told = settings().told();
        return !told.has(QpAttrMask.MAX_DEST_RD_ATOMIC) || told.maxDestRdAtomic() > 0;
    }

    /** Whether its peer's atomics may reach memory, as far as it is not for the region to say. */
    public boolean allowsAtomics() {
        final QpAttributes told = settings().told();
        return !told.has(QpAttrMask.ACCESS_FLAGS) || (told.accessFlags() & AccessFlags.REMOTE_ATOMIC) != 0;
    }

    /** What connects and recovers it. */
    public QpLifecycle lifecycle() {
        return lifecycle;
    }

    /**
     * Creates a physical QP for this vQP.
     *
     * @throws VerbsException as the member says; nothing is left of it then
     */
    public CarriedQp createOn(final CmId id, final Member member) {
        assert core().holdsLock();
        return PhysicalQp.create(this, room.physical(), id, member);
    }

    @Override
    public int nextIncarnation() {
        final int next = super.nextIncarnation();
        own.reset();
        return next;
    }

    /** Whether successes are kept back until the peer's bond confirms them; before the first post. */
    public void confirming(final boolean value) {
        sendQueue.confirming(value);
        holdBack(false);
    }

    /** While true, successes of sends are remembered, not reported: the peer has the last word on them. */
    public void holdBack(final boolean value) {
        bondSendCq().enter();
        sendQueue.holdBack(value);
        bondSendCq().leave();
    }

    /** Completes the first unfinished request with the named error, where there is one. */
    public void completeInError(final int status, final int vendorErr) {
        bondSendCq().oweNext(wc -> sendQueue.failNext(wc, status, vendorErr, qpNum()));
    }

    /** In ERR for everybody who looks, before the completion that tells why can be polled. */
    public void announceError() {
        sendQueue.closeGate();
        state(QpState.ERR);
    }

    /** To ERR: whatever is unfinished, and whatever is posted later, is flushed in order. */
    public void enterError() {
        if (isClosed()) {
            return; // disconnected and destroyed at once: its queues and their memory are gone
        }
        lifecycle.endSendDrain();
        sendQueue.closeGate();
        recvQueue().detach();
        state(QpState.ERR);
        holdBack(false);
        flush();
        if (srq != null && !wasLastToldOf) {
            wasLastToldOf = true;
            core().raise(AsyncEvent.ofQp(AsyncEventType.QP_LAST_WQE_REACHED, this));
        }
    }

    // ---- verbs ------------------------------------------------------------------------------------------------------

    @Override
    public @Nullable SharedReceiveQueue srq() {
        return srq;
    }

    @Override
    protected boolean isSharedWhole() {
        return srq == null || srq.isWhole();
    }

    @Override
    protected String sharedDamage() {
        return srq == null ? "" : srq.damage();
    }

    @Override
    public QpType qpType() {
        return QpType.RC;
    }

    @Override
    protected void change(final QpAttributes change, final QpState to) {
        if (to == QpState.RTR) {
            lifecycle.outOfBand().requireOther(change);
        }
        final boolean isOtherRetry = to == QpState.SQD
                && change.has(QpAttrMask.RNR_RETRY)
                && change.rnrRetry() != attributes().rnrRetry();
        settings().change(change, lifecycle.attachment().physical());
        if (isOtherRetry) {
            lifecycle.outOfBand().onRnrRetryChanged();
        }
    }

    @Override
    protected void enter(final QpState to, final QpAttributes change) {
        switch (to) {
            case ERR -> lifecycle.onApplicationAbort();
            case RESET -> {
                wasLastToldOf = true; // it ends with its life, which the next one hears nothing of
                lifecycle.onApplicationAbort();
                state(QpState.RESET); // first: what is posted from now on is refused, and not of the next life
                forget();
                wasLastToldOf = false;
                sendError.clear();
                atomics.clear();
                lifecycle.reset();
                domain().scope().qps().reset(this);
            }
            case RTR -> {
                state(to);
                lifecycle.outOfBand().onReadyToReceive(settings().told());
            }
            case RTS -> {
                lifecycle.endSendDrain();
                state(to);
                sendQueue.release();
                lifecycle.outOfBand().onReadyToSend(settings().told());
            }
            case SQD -> {
                state(to);
                sendQueue.hold(atomics.asked());
                lifecycle.beginSendDrain(change.enSqdAsyncNotify() != 0);
            }
            default -> state(to);
        }
    }

    /** Its connection stands: RTS, unless the application has begun to drain its sends by then. */
    public void connected() {
        if (state() != QpState.SQD) {
            state(QpState.RTS);
        }
    }

    @Override
    protected QpAttributes attributes() {
        return settings().query(state(), lifecycle.attachment().physical(), lifecycle.peerQpNum());
    }

    @Override
    protected void leaveHardware() {
        lifecycle.close();
        sendQueue.closeGate();
        recvQueue().detach();
    }

    @Override
    protected void unregister() {
        domain().scope().qps().remove(this);
        if (srq != null) {
            srq.unuse(this, bondRecvCq());
        }
        ledger.close();
    }
}
