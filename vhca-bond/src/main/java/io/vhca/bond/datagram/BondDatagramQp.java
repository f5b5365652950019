package io.vhca.bond.datagram;

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
import io.vhca.bond.core.BondCore;
import io.vhca.bond.core.QpVisitor;
import io.vhca.bond.failover.RetryBudget;
import io.vhca.bond.member.Member;
import io.vhca.bond.member.MemberPart;
import io.vhca.bond.member.Members;
import io.vhca.bond.queue.QueueOwner;
import io.vhca.bond.queue.SendSlots;
import io.vhca.bond.queue.VirtualRecvQueue;
import io.vhca.bond.verbs.BondCompletionQueue;
import io.vhca.bond.verbs.BondProtectionDomain;
import io.vhca.bond.verbs.BondQueuePair;
import io.vhca.bond.verbs.QpCreation;
import io.vhca.bond.verbs.QueueFlush;
import io.vhca.bond.verbs.VerbsScope;
import io.vhca.bond.wire.PhysicalWrId;
import io.vhca.recovery.FailureClass;
import io.vhca.recovery.FailureClassifier;
import java.lang.foreign.Arena;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * A vQP for unreliable datagrams: virtual queues over one physical UD queue pair on one member at a time.
 *
 * <p>A send names a vAH and a vQPN; where that vQP lives now, its bond is asked ({@link DestinationQuery}), once, and
 * again when something moved. Who asks says where it lives itself, so that its datagrams can be told by their sender's
 * vQPN. Threads: as {@link BondQueuePair}.
 */
public final class BondDatagramQp implements QueuePair, QueueOwner, MemberPart {
    private static final int DESTINATION_MISSING = 1;
    private static final int FAILED = 1 << 1;
    private static final int APPLICATION_ERROR = 1 << 2;
    private static final int POSTED_IN_ERROR = 1 << 3;

    private final Datagrams datagrams;
    private final BondCore core;
    private final Members members;
    private final BondProtectionDomain pd;
    private final BondCompletionQueue sendCq;
    private final BondCompletionQueue recvCq;
    private final QpCapabilities capabilities;
    private final int index;
    private final int qpNum;
    private final Arena arena = Arena.ofShared();
    private final DatagramSendQueue sendQueue;
    private final VirtualRecvQueue recvQueue;
    private final QueueFlush sendFlush;
    private final QueueFlush recvFlush;
    private final DatagramAttachment home;
    private final DatagramRoutes routes;
    private final RetryBudget doubts = new RetryBudget();
    private final AtomicInteger notes = new AtomicInteger();

    private volatile QpState state = QpState.RESET;
    private volatile int incarnation;
    private QpAttributes told = new QpAttributes();
    private boolean closed;

    private BondDatagramQp(
            final Datagrams datagrams,
            final BondProtectionDomain pd,
            final QpInitAttributes init,
            final int index,
            final int qpNum) {
        this.datagrams = datagrams;
        this.pd = pd;
        this.index = index;
        this.qpNum = qpNum;
        final VerbsScope scope = pd.scope();
        core = scope.core();
        members = scope.members();
        sendCq = (BondCompletionQueue) init.sendCq();
        recvCq = (BondCompletionQueue) init.recvCq();
        capabilities = init.cap();
        sendQueue = new DatagramSendQueue(
                this, scope.keys(), scope.handles(),
                new SendSlots(
                        arena, capabilities.maxSendWr(), capabilities.maxSendSge(), capabilities.maxInlineData()),
                capabilities.maxSendWr(), capabilities.maxSendSge(), init.sqSigAll());
        recvQueue = new VirtualRecvQueue(
                this, scope.keys(), arena, capabilities.maxRecvWr(), capabilities.maxRecvSge());
        sendFlush = new QueueFlush(this, sendQueue, recvQueue, false);
        recvFlush = new QueueFlush(this, sendQueue, recvQueue, true);
        home = new DatagramAttachment(datagrams, this);
        routes = new DatagramRoutes(datagrams, this);
    }

    /** Makes one, or refuses it. Control lock. */
    static BondDatagramQp create(
            final Datagrams datagrams, final BondProtectionDomain pd, final QpInitAttributes init) {
        final VerbsScope scope = pd.scope();
        final String bond = scope.core().name();
        final String object = bond + " pd";
        QpCreation.checkCqs(pd.context(), object, init);
        if (init.srq() != null) {
            throw new VerbsException(
                    "createQp", Errno.EOPNOTSUPP, object,
                    "UD queue pairs that receive through an SRQ are not carried by a bond");
        }
        scope.limits().check(object, init.cap());
        final int index = scope.qps().allocateIndex(bond, scope.limits().attributes().maxQp());
        ((BondCompletionQueue) init.sendCq()).reserve(init.cap().maxSendWr());
        try {
            ((BondCompletionQueue) init.recvCq()).reserve(init.cap().maxRecvWr());
        } catch (final VerbsException e) {
            ((BondCompletionQueue) init.sendCq()).unreserve(init.cap().maxSendWr());
            throw e;
        }
        final BondDatagramQp qp = new BondDatagramQp(
                datagrams, pd, init, index, datagrams.scope().port().qpNum(index));
        datagrams.add(qp);
        scope.members().addPart(qp);
        return qp;
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

    boolean isIncarnation(final int physicalIncarnation) {
        return (incarnation & 0xFFFF) == physicalIncarnation;
    }

    /** Turns the completion of a send into a virtual one; false when none must see it. Inside the CQ's gate. */
    boolean translateSend(final long wc, final long wrId) {
        final boolean isError = NativeMemory.getInt(wc + WcDescriptor.STATUS_OFFSET) != 0;
        final long sequence = sendQueue.sequenceOf(wrId);
        if (isError && !isApplicationsOwnSend(wc, sequence)) {
            return false;
        }
        final boolean isShown = isError || sendQueue.slots().isSignaled(sequence);
        NativeMemory.putLong(wc + WcDescriptor.WR_ID_OFFSET, sendQueue.slots().wrId(sequence));
        NativeMemory.putInt(wc + WcDescriptor.QP_NUM_OFFSET, qpNum);
        sendQueue.retireThrough(sequence);
        if (sendQueue.hasBacklog()) {
            sendQueue.pumpIfIdle();
        }
        return isShown;
    }

    /** As {@link #translateSend}, of a receive: the sender is named by its vQPN. */
    boolean translateReceive(final long wc, final long wrId) {
        if (NativeMemory.getInt(wc + WcDescriptor.STATUS_OFFSET) != 0 && !isApplicationsOwn(wc)) {
            return false;
        }
        final long sequence = recvQueue.sequenceOf(wrId);
        final int source = NativeMemory.getInt(wc + WcDescriptor.SRC_QP_OFFSET);
        NativeMemory.putInt(
                wc + WcDescriptor.SRC_QP_OFFSET, routes.sources().translate(recvQueue.firstElement(sequence), source));
        NativeMemory.putLong(wc + WcDescriptor.WR_ID_OFFSET, recvQueue.wrId(sequence));
        NativeMemory.putInt(wc + WcDescriptor.QP_NUM_OFFSET, qpNum);
        recvQueue.retireThrough(sequence);
        return true;
    }

    /** Of a send, what does not say whose fault it is goes out again over other members: hardware did not send it. */
    private boolean isApplicationsOwnSend(final long wc, final long sequence) {
        final WcStatus status = WcStatus.fromCode(NativeMemory.getInt(wc + WcDescriptor.STATUS_OFFSET));
        final int vendorErr = NativeMemory.getInt(wc + WcDescriptor.VENDOR_ERR_OFFSET);
        if (FailureClassifier.classify(status, vendorErr, false) != FailureClass.PASS_THROUGH
                && status != WcStatus.WR_FLUSH_ERR
                && doubts.isWorthAnother(sequence)) {
            sendQueue.sendAgainFrom(sequence);
            note(FAILED);
            return false;
        }
        return isApplicationsOwn(wc);
    }

    /** Whether an error is for the application to see: nothing that comes of a dead member is. */
    private boolean isApplicationsOwn(final long wc) {
        final int status = NativeMemory.getInt(wc + WcDescriptor.STATUS_OFFSET);
        final Member on = home.member();
        if (status == WcStatus.WR_FLUSH_ERR.code()) {
            return false;
        }
        if (on == null || !on.isUp() || on.isGoingDown()) {
            note(FAILED);
            return false;
        }
        state = QpState.ERR;
        note(APPLICATION_ERROR);
        return true;
    }

    @Override
    public void onKeptBack() {
        note(state == QpState.ERR ? POSTED_IN_ERROR : DESTINATION_MISSING);
    }

    @Override
    public void onPhysicalPostRefused(final int error) {
        note(FAILED);
    }

    /** A request waits as nobody knows where it goes. */
    public void onDestinationMissing() {
        note(DESTINATION_MISSING);
    }

    private void note(final int bit) {
        int before = notes.get();
        while ((before & bit) == 0 && !notes.compareAndSet(before, before | bit)) {
            before = notes.get();
        }
        if (before == 0) {
            datagrams.attention(this);
        }
    }

    // ---- control thread -------------------------------------------------------------------------------------------

    /** Deals with what the data path noted. */
    void onAttention(final long nowNs) {
        final int taken = notes.getAndSet(0);
        if (closed) {
            return;
        }
        if ((taken & POSTED_IN_ERROR) != 0) {
            sendCq.notifyIfArmed();
            recvCq.notifyIfArmed();
        }
        if ((taken & APPLICATION_ERROR) != 0) {
            enterError();
        } else if ((taken & FAILED) != 0 && state != QpState.ERR) {
            home.onFailure();
        }
        if ((taken & DESTINATION_MISSING) != 0) {
            routes.waiting(nowNs);
        }
    }

    /** See {@link DatagramAttachment#look} and {@link DatagramRoutes#look}. */
    void look(final long nowNs) {
        home.look(nowNs);
        routes.look(nowNs);
    }

    public DatagramAttachment home() {
        return home;
    }

    public DatagramRoutes routes() {
        return routes;
    }

    BondProtectionDomain domain() {
        return pd;
    }

    int index() {
        return index;
    }

    QpAttributes told() {
        return told;
    }

    BondCompletionQueue bondSendCq() {
        return sendCq;
    }

    DatagramSendQueue sendQueue() {
        return sendQueue;
    }

    VirtualRecvQueue recvQueue() {
        return recvQueue;
    }

    QpInitAttributes physicalAttributes(final Member member) {
        return new QpInitAttributes(
                sendCq.on(member), recvCq.on(member), null,
                new QpCapabilities(
                        capabilities.maxSendWr(), Math.max(1, capabilities.maxRecvWr()),
                        Math.max(1, capabilities.maxSendSge()), Math.max(1, capabilities.maxRecvSge()),
                        capabilities.maxInlineData()),
                QpType.UD, false);
    }

    void attachCqs(final Member member, final int change) {
        sendCq.attach(member, change);
        recvCq.attach(member, change);
        member.countQueuePairs(change);
    }

    /** Shows itself to somebody who looks on. Control lock. */
    public void show(final QpVisitor visitor) {
        final Member on = home.member();
        visitor.onQueuePair(
                index, qpNum, QpType.UD, state, null, incarnation, on == null ? -1 : on.index(), null,
                sendQueue.postedAtGlance(), sendQueue.retired(), recvQueue.received());
    }

    /** Takes what the CQs hold, and keeps it for the application. */
    void pollIntoOwed() {
        sendCq.pollIntoOwed(true);
        if (recvCq != sendCq) {
            recvCq.pollIntoOwed(true);
        }
    }

    /** Completions of the physical queue pair before are ignored from now on, and its failure is dealt with. */
    void nextIncarnation() {
        notes.updateAndGet(noted -> noted & ~FAILED);
        incarnation++;
        sendCq.pass();
        recvCq.pass();
    }

    long prefix(final int kind) {
        return PhysicalWrId.prefix(kind, incarnation, Datagrams.FIRST_INDEX + index);
    }

    private void enterError() {
        state(QpState.ERR);
        home.leave();
        routes.forget();
        sendCq.addFlushSource(sendFlush);
        recvCq.addFlushSource(recvFlush);
    }

    private void state(final QpState next) {
        recvQueue.accepting(next != QpState.RESET);
        sendQueue.accepting(next == QpState.RTS || next == QpState.ERR);
        state = next;
    }

    /** The device is dead, and its physical objects go. */
    @Override
    public void drop(final Member member) {
        home.onMemberDown(member);
    }

    @Override
    public void rebuild(final Member member) {
        // It moves here when there is a reason to.
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
        return null;
    }

    @Override
    public QpType qpType() {
        return QpType.UD;
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
            final String wrong = QpTransitions.judge(QpType.UD, from, to, change.mask());
            if (!wrong.isEmpty() || closed) {
                throw new VerbsException(
                        "modifyQp", Errno.EINVAL, toString(), wrong.isEmpty() ? "the queue pair is closed" : wrong);
            }
            if (to == QpState.SQD) {
                throw new VerbsException(
                        "modifyQp", Errno.EOPNOTSUPP, toString(), "SQD is not carried by a bond for UD queue pairs");
            }
            told.merge(change);
            if (change.has(QpAttrMask.QKEY)) {
                home.qkey(change.qkey());
            }
            if (to != from) {
                enter(to);
            }
        } finally {
            core.unlock();
        }
    }

    private void enter(final QpState to) {
        switch (to) {
            case ERR -> enterError();
            case RESET -> {
                state(QpState.RESET);
                home.leave();
                sendCq.removeFlushSource(sendFlush);
                recvCq.removeFlushSource(recvFlush);
                routes.forget();
                sendQueue.reset();
                recvQueue.reset();
                told = new QpAttributes();
            }
            case RTR -> {
                state(to);
                home.settle();
            }
            case RTS -> {
                state(to);
                home.open();
            }
            default -> state(to);
        }
    }

    @Override
    public QpAttributes query() {
        core.lock();
        try {
            return new QpAttributes().merge(told).qpState(state).curQpState(state);
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
            state(QpState.RESET);
            home.leave();
            routes.forget();
            members.removePart(this);
            datagrams.remove(this);
            sendCq.release(capabilities.maxSendWr(), this);
            recvCq.release(capabilities.maxRecvWr(), this);
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
