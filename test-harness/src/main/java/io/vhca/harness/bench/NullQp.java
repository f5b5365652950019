package io.vhca.harness.bench;

import io.vhca.api.AhAttributes;
import io.vhca.api.CompletionQueue;
import io.vhca.api.Errno;
import io.vhca.api.NativeMemory;
import io.vhca.api.ProtectionDomain;
import io.vhca.api.QpAttributes;
import io.vhca.api.QpCapabilities;
import io.vhca.api.QpInitAttributes;
import io.vhca.api.QpState;
import io.vhca.api.QpTransitions;
import io.vhca.api.QpType;
import io.vhca.api.QueuePair;
import io.vhca.api.RecvWrDescriptor;
import io.vhca.api.SendFlags;
import io.vhca.api.SendWrDescriptor;
import io.vhca.api.SgeDescriptor;
import io.vhca.api.SharedReceiveQueue;
import io.vhca.api.VerbsException;
import io.vhca.api.WcFlags;
import io.vhca.api.WcOpcode;
import io.vhca.api.WcStatus;
import io.vhca.api.WrOpcode;
import org.jspecify.annotations.Nullable;

/**
 * A queue pair of a null device. A request completes within postSend: one that finds a receive at the peer is copied
 * there, a SEND that finds none vanishes, WRITE and READ copy memory. Nothing is checked, nothing is retried.
 */
final class NullQp implements QueuePair {
    private final NullPd pd;
    private final QpInitAttributes init;
    private final NullCq sendCq;
    private final NullCq recvCq;
    private final NullRecvQueue receives;
    private final int qpNum;
    private QpAttributes attributes = new QpAttributes();
    private volatile QpState state = QpState.RESET;
    private volatile @Nullable NullQp peer;

    NullQp(final NullPd pd, final QpInitAttributes init) {
        this.pd = pd;
        this.init = init;
        sendCq = (NullCq) init.sendCq();
        recvCq = (NullCq) init.recvCq();
        receives = new NullRecvQueue(Math.max(1, init.cap().maxRecvWr()), init.cap().maxRecvSge());
        qpNum = NullFabric.add(this);
    }

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
        return init.qpType();
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
        return init.cap();
    }

    @Override
    public void modify(final QpAttributes change) {
        final QpState to = change.has(io.vhca.api.QpAttrMask.STATE) ? change.qpState() : state;
        final String wrong = QpTransitions.judge(init.qpType(), state, to, change.mask());
        if (!wrong.isEmpty()) {
            throw new VerbsException("modifyQp", Errno.EINVAL, name(), wrong);
        }
        attributes = change;
        final AhAttributes ah = change.ah();
        if (to == QpState.RTR && ah != null) {
            peer = NullFabric.qp(change.destQpNum());
        }
        enter(to);
    }

    /** Joins this QP to its peer and makes it ready, as the connection manager does. */
    void connect(final @Nullable NullQp other) {
        peer = other;
        enter(QpState.RTS);
    }

    void enter(final QpState to) {
        state = to;
        if (to == QpState.ERR) {
            receives.flush(recvCq, qpNum);
        } else if (to == QpState.RESET) {
            receives.clear();
            peer = null;
        }
    }

    @Override
    public QpAttributes query() {
        return attributes;
    }

    @Override
    public int postSend(final long wrAddress) {
        final QpState now = state;
        if (now != QpState.RTS) {
            return now == QpState.ERR ? flush(wrAddress) : -Errno.EINVAL;
        }
        int posted = 0;
        for (long wr = wrAddress; wr != 0; wr = NativeMemory.getLong(wr + SendWrDescriptor.NEXT_OFFSET)) {
            final int opcode = NativeMemory.getInt(wr + SendWrDescriptor.OPCODE_OFFSET);
            final int length = execute(wr, opcode);
            final int flags = NativeMemory.getInt(wr + SendWrDescriptor.SEND_FLAGS_OFFSET);
            if ((flags & SendFlags.SIGNALED) != 0 || init.sqSigAll()) {
                final long wrId = NativeMemory.getLong(wr + SendWrDescriptor.WR_ID_OFFSET);
                if (!sendCq.add(wrId, WcStatus.SUCCESS.code(), completionOf(opcode), length, qpNum, 0, 0)) {
                    return posted > 0 ? posted : -Errno.ENOMEM;
                }
            }
            posted++;
        }
        return posted;
    }

    private int flush(final long wrAddress) {
        int posted = 0;
        for (long wr = wrAddress; wr != 0; wr = NativeMemory.getLong(wr + SendWrDescriptor.NEXT_OFFSET)) {
            final long wrId = NativeMemory.getLong(wr + SendWrDescriptor.WR_ID_OFFSET);
            if (!sendCq.add(wrId, WcStatus.WR_FLUSH_ERR.code(), WcOpcode.SEND.code(), 0, qpNum, 0, 0)) {
                return posted > 0 ? posted : -Errno.ENOMEM;
            }
            posted++;
        }
        return posted;
    }

    private int execute(final long wr, final int opcode) {
        final NullQp to = peer;
        if (to == null) {
            return 0;
        }
        int length = 0;
        if (opcode == WrOpcode.RDMA_WRITE.code() || opcode == WrOpcode.RDMA_WRITE_WITH_IMM.code()) {
            length = move(wr, true);
        } else if (opcode == WrOpcode.RDMA_READ.code()) {
            length = move(wr, false);
        }
        if (WrOpcode.consumesReceive(opcode) && to.receives.waiting()) {
            to.receives.take(to.recvCq, to.qpNum, wr, opcode, length);
        }
        return length;
    }

    private static int move(final long wr, final boolean out) {
        final int elements = NativeMemory.getInt(wr + SendWrDescriptor.NUM_SGE_OFFSET);
        long sge = NativeMemory.getLong(wr + SendWrDescriptor.SG_LIST_OFFSET);
        long remote = NativeMemory.getLong(wr + SendWrDescriptor.RDMA_REMOTE_ADDR_OFFSET);
        int moved = 0;
        for (int i = 0; i < elements; i++) {
            final int length = SgeDescriptor.length(sge);
            final long local = SgeDescriptor.addr(sge);
            NativeMemory.copy(out ? local : remote, out ? remote : local, length);
            remote += length;
            moved += length;
            sge += SgeDescriptor.SIZE;
        }
        return moved;
    }

    private static int completionOf(final int opcode) {
        if (opcode == WrOpcode.RDMA_READ.code()) {
            return WcOpcode.RDMA_READ.code();
        }
        return opcode == WrOpcode.RDMA_WRITE.code() || opcode == WrOpcode.RDMA_WRITE_WITH_IMM.code()
                ? WcOpcode.RDMA_WRITE.code()
                : WcOpcode.SEND.code();
    }

    @Override
    public int postRecv(final long wrAddress) {
        if (state == QpState.RESET) {
            return -Errno.EINVAL;
        }
        int posted = 0;
        for (long wr = wrAddress; wr != 0; wr = NativeMemory.getLong(wr + RecvWrDescriptor.NEXT_OFFSET)) {
            if (!receives.add(wr)) {
                return posted > 0 ? posted : -Errno.ENOMEM;
            }
            posted++;
        }
        if (state == QpState.ERR) {
            receives.flush(recvCq, qpNum);
        }
        return posted;
    }

    private String name() {
        return pd.context().device().name() + " qp " + qpNum;
    }

    @Override
    public void close() {
        NullFabric.remove(this);
        state = QpState.RESET;
        receives.close();
    }

    /** Flags of the completion that a request with this opcode gives the receiver. */
    static int receiveFlags(final int opcode) {
        return opcode == WrOpcode.SEND_WITH_IMM.code() || opcode == WrOpcode.RDMA_WRITE_WITH_IMM.code()
                ? WcFlags.WITH_IMM
                : 0;
    }
}
