package io.vhca.physical.soft.engine;

import io.vhca.api.AsyncEvent;
import io.vhca.api.AsyncEventType;
import io.vhca.api.Errno;
import io.vhca.api.NativeMemory;
import io.vhca.api.QpAttrMask;
import io.vhca.api.QpAttributes;
import io.vhca.api.QpCapabilities;
import io.vhca.api.QpInitAttributes;
import io.vhca.api.QpState;
import io.vhca.api.QpType;
import io.vhca.api.QueuePair;
import io.vhca.api.RecvWrDescriptor;
import io.vhca.api.SendWrDescriptor;
import io.vhca.api.SgeDescriptor;
import io.vhca.api.WcOpcode;
import io.vhca.api.WcStatus;
import io.vhca.api.WrOpcode;
import io.vhca.physical.soft.wire.Opcodes;
import org.jspecify.annotations.Nullable;

/**
 * A queue pair of a {@link SoftNic}: its queues, its state and its completions; the protocol is its
 * {@link Transport}'s.
 *
 * <p>Any thread posts; everything else is done by the engine's owner. A slot of a queue is free again when its request
 * is done, whether its completion was polled or not, so a full send queue is no guard against an overrun of the CQ.
 */
public final class SoftQp implements QueuePair {
    final SoftNic nic;
    private final SoftPd pd;
    private final SoftCq sendCq;
    private final SoftCq recvCq;
    private final @Nullable SoftSrq srq;
    private final QpType type;
    private final int qpNum;
    private final QpCapabilities capabilities;
    final SendQueue sends;
    final ReceiveQueue receives;
    /** The attributes as they are now; guarded by the engine's ownership. */
    final QpSettings settings = new QpSettings();

    private final Transport transport;
    private volatile QpState state = QpState.RESET;
    private volatile boolean isClosed;

    /** Position in {@link QpTable}. */
    int liveIndex;
    /** Links of {@link RunQueue}. */
    @Nullable SoftQp nextRung;

    volatile int isRung;
    @Nullable SoftQp nextRunnable;
    boolean isRunnable;

    SoftQp(final SoftNic nic, final SoftPd pd, final QpInitAttributes attributes, final int qpNum) {
        this.nic = nic;
        this.pd = pd;
        this.qpNum = qpNum;
        sendCq = (SoftCq) attributes.sendCq();
        recvCq = (SoftCq) attributes.recvCq();
        srq = (SoftSrq) attributes.srq();
        type = attributes.qpType();
        capabilities = attributes.cap();
        sends = new SendQueue(
                capabilities.maxSendWr(),
                capabilities.maxSendSge(),
                capabilities.maxInlineData(),
                isDatagram(),
                attributes.sqSigAll());
        receives = srq != null
                ? srq.queue
                : new ReceiveQueue(capabilities.maxRecvWr(), capabilities.maxRecvSge());
        transport = isDatagram() ? new UdTransport(this) : new RcTransport(this);
    }

    @Override
    public SoftPd pd() {
        return pd;
    }

    @Override
    public SoftCq sendCq() {
        return sendCq;
    }

    @Override
    public SoftCq recvCq() {
        return recvCq;
    }

    @Override
    public @Nullable SoftSrq srq() {
        return srq;
    }

    @Override
    public QpType qpType() {
        return type;
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
    public void modify(final QpAttributes attributes) {
        nic.acquireFor("modifyQp");
        try {
            settings.judge(this, attributes);
            settings.apply(nic, attributes);
            if (attributes.has(QpAttrMask.STATE)) {
                moveTo(attributes.qpState());
            }
        } finally {
            nic.release();
        }
        nic.driveInline();
    }

    private void moveTo(final QpState to) {
        final QpState from = state;
        if (to == QpState.ERR) {
            enterError(null, false);
            return;
        }
        if (to == QpState.RESET) {
            reset();
        } else if (from == QpState.SQE) {
            flushSends();
        }
        state = to;
        transport.onState(from, to);
        nic.schedule(this);
    }

    private void reset() {
        state = QpState.RESET;
        transport.forget();
        sends.lock.lock();
        sends.reset();
        sends.lock.unlock();
        if (srq == null) {
            receives.lock.lock();
            receives.reset();
            receives.lock.unlock();
        }
        sendCq.purge(qpNum);
        recvCq.purge(qpNum);
        settings.clear();
    }

    @Override
    public QpAttributes query() {
        nic.acquireFor("queryQp");
        try {
            return settings.toAttributes(state);
        } finally {
            nic.release();
        }
    }

    @Override
    public int postSend(final long wrAddress) {
        int count = 0;
        int result = 0;
        sends.lock.lock();
        try {
            final QpState now = state;
            if (nic.isDead()) {
                return -Errno.EIO;
            }
            if (isClosed || now == QpState.RESET || now == QpState.INIT || now == QpState.RTR) {
                return -Errno.EINVAL;
            }
            for (long wr = wrAddress; wr != 0; wr = NativeMemory.getLong(wr + SendWrDescriptor.NEXT_OFFSET)) {
                result = sends.post(wr);
                if (result != 0) {
                    break;
                }
                count++;
            }
        } finally {
            sends.lock.unlock();
        }
        if (count == 0 || state == QpState.ERR && nic.config().forgetsPostsInError()) {
            return count == 0 ? result : count;
        }
        nic.ring(this);
        nic.driveSends();
        return count;
    }

    @Override
    public int postRecv(final long wrAddress) {
        if (srq != null) {
            return -Errno.EINVAL;
        }
        int count = 0;
        int result = 0;
        final boolean mustFlush;
        receives.lock.lock();
        try {
            if (nic.isDead()) {
                return -Errno.EIO;
            }
            if (isClosed || state == QpState.RESET) {
                return -Errno.EINVAL;
            }
            for (long wr = wrAddress; wr != 0; wr = NativeMemory.getLong(wr + RecvWrDescriptor.NEXT_OFFSET)) {
                result = receives.post(wr);
                if (result != 0) {
                    break;
                }
                count++;
            }
            mustFlush = state == QpState.ERR && !nic.config().forgetsPostsInError();
        } finally {
            receives.lock.unlock();
        }
        if (mustFlush && count > 0) {
            nic.ring(this);
            nic.driveInline();
        }
        return count > 0 ? count : result;
    }

    @Override
    public void close() {
        nic.acquire();
        try {
            if (isClosed) {
                return;
            }
            transport.forget();
            sends.lock.lock();
            receives.lock.lock();
            isClosed = true;
            state = QpState.RESET;
            receives.lock.unlock();
            sends.lock.unlock();
            sendCq.purge(qpNum);
            recvCq.purge(qpNum);
            nic.objects().removeQp(this);
            sends.free();
            if (srq == null) {
                receives.free();
            }
        } finally {
            nic.release();
        }
    }

    // What follows is called by the engine's owner only.

    boolean isDatagram() {
        return type == QpType.UD;
    }

    boolean isClosed() {
        return isClosed;
    }

    Transport transport() {
        return transport;
    }

    /** True when packets of that kind may come to this QP now. */
    boolean takes(final int opcodeFlags) {
        final QpState now = state;
        return ((opcodeFlags & Opcodes.HAS_DETH) != 0) == isDatagram()
                && (now == QpState.RTR || now == QpState.RTS || now == QpState.SQD || now == QpState.SQE);
    }

    boolean isPeer(final long sourceHigh, final long sourceLow) {
        final Path path = settings.path();
        return path != null && path.isFrom(sourceHigh, sourceLow);
    }

    /** One turn: sends what may be sent; true when there is more. */
    boolean run(final int budget) {
        if (isClosed) {
            return false;
        }
        if (state == QpState.ERR) {
            flush();
            return false;
        }
        if (state == QpState.SQE) {
            flushSends();
            return false;
        }
        return transport.run(budget);
    }

    /** Moves to ERR, flushes, and raises the event if there is one. */
    void enterError(final @Nullable AsyncEventType event, final boolean isLost) {
        if (state == QpState.ERR || state == QpState.RESET && event != null) {
            return;
        }
        state = QpState.ERR;
        transport.abandon(isLost);
        flush();
        if (event != null) {
            nic.raise(AsyncEvent.ofQp(event, this));
        }
        if (srq != null && !nic.config().forgetsLastReceive()) {
            nic.raise(AsyncEvent.ofQp(AsyncEventType.QP_LAST_WQE_REACHED, this));
        }
    }

    /** The device died: everything posted is flushed, without an event of its own. */
    void die() {
        if (state == QpState.RESET) {
            return;
        }
        enterError(null, true);
    }

    /** The port went down: what was acknowledged and not placed is lost, and the connection with it. */
    void portWentDown() {
        if (transport.holdsUnplaced()) {
            enterError(AsyncEventType.QP_FATAL, true);
        }
    }

    private void flush() {
        flushSends();
        if (srq == null) {
            receives.lock.lock();
            receives.lock.unlock();
            while (!receives.isEmpty()) {
                final long wrId = RecvWqeDescriptor.wrId(receives.front());
                receives.pop();
                completeReceive(wrId, WcStatus.WR_FLUSH_ERR, WcOpcode.RECV, 0, 0, 0, 0, false);
            }
        }
    }

    private void flushSends() {
        // Whoever posts after this lock was taken sees ERR or SQE and rings; whoever posted before is flushed here.
        sends.lock.lock();
        sends.lock.unlock();
        for (long i = sends.consumer(); i < sends.producer() && !transport.isStalled(); i++) {
            completeSend(WcStatus.WR_FLUSH_ERR);
        }
    }

    /** Takes the oldest send off the queue, with a completion where it failed or asked for one. */
    void completeSend(final WcStatus status) {
        final long index = sends.consumer();
        final long wqe = sends.address(index);
        final boolean isSignaled = status != WcStatus.SUCCESS || sends.isSignaled(wqe);
        final long wrId = SendWqeDescriptor.wrId(wqe);
        final WcOpcode opcode = completionOpcode(SendWqeDescriptor.opcode(wqe));
        final int lengthBytes = (int) SendWqeDescriptor.length(wqe);
        sends.consumed(index + 1);
        if (isSignaled
                && !sendCq.push(
                        wrId,
                        status.code(),
                        opcode.code(),
                        lengthBytes,
                        0,
                        qpNum,
                        0,
                        0,
                        status != WcStatus.SUCCESS)) {
            enterError(AsyncEventType.QP_FATAL, false);
        }
    }

    /**
     * The oldest send failed: completes it so and moves to ERR, or to SQE where it was a datagram: then receives go on
     * and the application may go back to RTS (IB spec vol. 1, 10.3.1).
     */
    void failSend(final WcStatus status) {
        completeSend(status);
        if (isDatagram() && state != QpState.ERR) {
            state = QpState.SQE;
            flushSends();
        } else {
            enterError(null, false);
        }
    }

    /** The oldest send of a connection fails for a reason of the adapter's own, where there is one. */
    void failOldestSend() {
        if (state == QpState.RTS && sends.consumer() < sends.producer()) {
            failSend(WcStatus.LOC_QP_OP_ERR);
        }
    }

    /** Reports a receive that was taken off the queue. */
    void completeReceive(
            final long wrId,
            final WcStatus status,
            final WcOpcode opcode,
            final int byteLen,
            final int rawImmediate,
            final int srcQp,
            final int flags,
            final boolean isSolicited) {
        if (!recvCq.push(
                wrId,
                status.code(),
                opcode.code(),
                byteLen,
                rawImmediate,
                qpNum,
                srcQp,
                flags,
                isSolicited || status != WcStatus.SUCCESS)) {
            enterError(AsyncEventType.QP_FATAL, false);
        }
    }

    private static WcOpcode completionOpcode(final int wrOpcode) {
        return switch (WrOpcode.fromCode(wrOpcode)) {
            case RDMA_WRITE, RDMA_WRITE_WITH_IMM -> WcOpcode.RDMA_WRITE;
            case RDMA_READ -> WcOpcode.RDMA_READ;
            case ATOMIC_CMP_AND_SWP -> WcOpcode.COMP_SWAP;
            case ATOMIC_FETCH_AND_ADD -> WcOpcode.FETCH_ADD;
            default -> WcOpcode.SEND;
        };
    }

    /** True when every element from {@code sges} on may be used so; checked as a whole before a message starts. */
    boolean allowsAll(final long sges, final int numSge, final int access) {
        for (int i = 0; i < numSge; i++) {
            final long sge = sges + (long) i * SgeDescriptor.SIZE;
            final long lengthBytes = Integer.toUnsignedLong(SgeDescriptor.length(sge));
            if (lengthBytes > 0
                    && !nic.keys().allows(SgeDescriptor.lkey(sge), pd, SgeDescriptor.addr(sge), lengthBytes, access)) {
                return false;
            }
        }
        return true;
    }

    /**
     * Copies between a flat buffer and a part of a scatter/gather list.
     *
     * @param offset    where in the list to begin
     * @param access    what the elements' keys must grant: 0 to gather, LOCAL_WRITE to scatter
     * @param isScatter true to copy from the flat buffer into the list
     * @return false when a key does not allow it; what came before it is copied
     */
    boolean copy(
            final long sges,
            final int numSge,
            final long offset,
            final long flat,
            final int lengthBytes,
            final int access,
            final boolean isScatter) {
        long skip = offset;
        int done = 0;
        for (int i = 0; i < numSge && done < lengthBytes; i++) {
            final long sge = sges + (long) i * SgeDescriptor.SIZE;
            final long size = Integer.toUnsignedLong(SgeDescriptor.length(sge));
            if (skip >= size) {
                skip -= size;
                continue;
            }
            final long addr = SgeDescriptor.addr(sge) + skip;
            final int part = (int) Math.min(size - skip, lengthBytes - done);
            skip = 0;
            if (!nic.keys().allows(SgeDescriptor.lkey(sge), pd, addr, part, access)) {
                return false;
            }
            if (isScatter) {
                NativeMemory.copy(flat + done, addr, part);
            } else {
                NativeMemory.copy(addr, flat + done, part);
            }
            done += part;
        }
        return done == lengthBytes;
    }

    @Override
    public String toString() {
        return nic.name() + " qp 0x" + Integer.toHexString(qpNum);
    }
}
