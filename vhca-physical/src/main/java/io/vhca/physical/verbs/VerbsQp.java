package io.vhca.physical.verbs;

import io.vhca.api.AhAttributes;
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
import io.vhca.physical.rdmacore.ibv_qp;
import io.vhca.physical.rdmacore.ibv_qp_attr;
import io.vhca.physical.rdmacore.ibv_qp_init_attr;
import io.vhca.physical.verbs.lib.DataPath;
import io.vhca.physical.verbs.lib.Ibv;
import io.vhca.physical.verbs.lib.QpAttrCodec;
import io.vhca.physical.verbs.lib.VerbFailure;
import io.vhca.physical.verbs.lib.WorkRequestPoster;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * A queue pair of libibverbs. Posting is the provider's own, after a look at the state as the last modify left it;
 * closing it while another thread posts is an error, as in C. Control calls: any thread.
 */
final class VerbsQp implements QueuePair {
    /** All that ibv_query_qp may be asked for. */
    private static final int ALL_ATTRIBUTES = (QpAttrMask.DEST_QPN << 1) - 1;

    private final VerbsPd pd;
    private final VerbsContext context;
    private final VerbsCq sendCq;
    private final VerbsCq recvCq;
    private final @Nullable VerbsSrq srq;
    private final QpType qpType;
    private final QpCapabilities capabilities;
    private final int qpNum;
    private final String name;
    private final MemorySegment postSendFunction;
    private final MemorySegment postRecvFunction;
    private final WorkRequestPoster badWr = new WorkRequestPoster();
    /** Address of the {@code struct ibv_qp}, 0 once closed. */
    private volatile long address;

    /** As the last modify left it; the device may have gone to ERR since. */
    private volatile QpState modifiedTo = QpState.RESET;

    /** A move to ERR was refused: what the hardware does with it is not known. */
    private boolean isMute;

    private volatile boolean takesSends;
    private volatile boolean takesReceives;

    VerbsQp(
            final VerbsPd pd,
            final long address,
            final QpInitAttributes init,
            final QpCapabilities granted,
            final @Nullable VerbsSrq srq) {
        this.pd = pd;
        this.address = address;
        this.srq = srq;
        context = pd.context();
        sendCq = (VerbsCq) init.sendCq();
        recvCq = (VerbsCq) init.recvCq();
        qpType = init.qpType();
        capabilities = granted(address, granted);
        qpNum = NativeMemory.getInt(address + ibv_qp.qp_num$offset());
        name = context + " qp 0x" + Integer.toHexString(qpNum);
        postSendFunction = DataPath.postSendFunction(context.address());
        postRecvFunction = DataPath.postRecvFunction(context.address());
        context.qps().put(address, this);
        pd.children().add(this);
        sendCq.users().add(this);
        recvCq.users().add(this);
        if (srq != null) {
            srq.users().add(this);
        }
    }

    /**
     * What creation wrote back, or what a query says where that is more: some providers round up and tell only
     * then.
     */
    private static QpCapabilities granted(final long address, final QpCapabilities created) {
        try (Arena arena = Arena.ofConfined()) {
            final MemorySegment attr = arena.allocate(ibv_qp_attr.layout());
            final MemorySegment init = arena.allocate(ibv_qp_init_attr.layout());
            if (Ibv.QUERY_QP.status(address, attr.address(), QpAttrMask.CAP, init.address()) < 0) {
                return created;
            }
            final QpCapabilities now = QpAttrCodec.readCap(ibv_qp_init_attr.cap(init));
            return new QpCapabilities(
                    Math.max(created.maxSendWr(), now.maxSendWr()),
                    Math.max(created.maxRecvWr(), now.maxRecvWr()),
                    Math.max(created.maxSendSge(), now.maxSendSge()),
                    Math.max(created.maxRecvSge(), now.maxRecvSge()),
                    Math.max(created.maxInlineData(), now.maxInlineData()));
        }
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
        return srq;
    }

    @Override
    public QpType qpType() {
        return qpType;
    }

    @Override
    public int qpNum() {
        return qpNum;
    }

    @Override
    public QpCapabilities capabilities() {
        return capabilities;
    }

    /** Asks the kernel where the device may have moved the QP by itself: from RTR, RTS, SQD. */
    @Override
    public QpState state() {
        final QpState known = modifiedTo;
        if (known != QpState.RTR && known != QpState.RTS && known != QpState.SQD) {
            return known;
        }
        synchronized (this) {
            return address == 0 ? modifiedTo : context.isDead() ? QpState.ERR : askState();
        }
    }

    private QpState askState() {
        try (Arena arena = Arena.ofConfined()) {
            final MemorySegment attr = arena.allocate(ibv_qp_attr.layout());
            final MemorySegment init = arena.allocate(ibv_qp_init_attr.layout());
            final int failed = Ibv.QUERY_QP.status(address, attr.address(), QpAttrMask.STATE, init.address());
            return failed < 0 ? QpState.ERR : QpState.fromCode(ibv_qp_attr.qp_state(attr));
        }
    }

    private long requireLive(final String verb) {
        final long now = address;
        if (now == 0) {
            throw VerbFailure.closed(verb, toString());
        }
        context.requireLive(verb);
        return now;
    }

    @Override
    public synchronized void modify(final QpAttributes attributes) {
        requireLive("modifyQp");
        final QpState from = state();
        final QpState to = attributes.has(QpAttrMask.STATE) ? attributes.qpState() : from;
        final String wrong = QpTransitions.judge(qpType, from, to, attributes.mask());
        if (!wrong.isEmpty()) {
            throw VerbFailure.invalid("modifyQp", toString(), wrong);
        }
        final AhAttributes ah = attributes.ah();
        final String fault = ah == null ? "" : ah.fault();
        if (!fault.isEmpty()) {
            throw VerbFailure.invalid("modifyQp", toString(), fault);
        }
        try (Arena arena = Arena.ofConfined()) {
            final MemorySegment attr = arena.allocate(ibv_qp_attr.layout());
            QpAttrCodec.write(attr, attributes);
            modify(attr, attributes.mask());
        }
    }

    /** Modifies by a filled {@code struct ibv_qp_attr}, with no judgement but the kernel's. */
    synchronized void modify(final MemorySegment attr, final int mask) {
        final long qp = requireLive("modifyQp");
        final int failed = Ibv.MODIFY_QP.status(qp, attr.address(), mask);
        if (failed < 0) {
            throw VerbFailure.of("modifyQp", failed, this + " from " + modifiedTo + ", mask 0x"
                    + Integer.toHexString(mask));
        }
        if ((mask & QpAttrMask.STATE) != 0) {
            nowIn(QpState.fromCode(ibv_qp_attr.qp_state(attr)));
        }
    }

    private void nowIn(final QpState state) {
        modifiedTo = state;
        takesSends = state.code() >= QpState.RTS.code() && !context.isDead();
        takesReceives = state != QpState.RESET && srq == null && !context.isDead();
    }

    /** Moves to ERR where that is not refused; for a device that goes and a connection that ends. False if refused. */
    synchronized boolean toErr() {
        final long qp = address;
        if (qp == 0 || modifiedTo == QpState.RESET) {
            return true;
        }
        try (Arena arena = Arena.ofConfined()) {
            final MemorySegment attr = arena.allocate(ibv_qp_attr.layout());
            ibv_qp_attr.qp_state(attr, QpState.ERR.code());
            final boolean moved = Ibv.MODIFY_QP.status(qp, attr.address(), QpAttrMask.STATE) == 0;
            nowIn(QpState.ERR);
            isMute |= !moved;
            return moved;
        }
    }

    /** The device is gone: posts are refused from now on. False when what was posted cannot be flushed. */
    boolean onDeviceDeath() {
        takesSends = false;
        takesReceives = false;
        return toErr();
    }

    @Override
    public synchronized QpAttributes query() {
        final long qp = requireLive("queryQp");
        try (Arena arena = Arena.ofConfined()) {
            final MemorySegment attr = arena.allocate(ibv_qp_attr.layout());
            final MemorySegment init = arena.allocate(ibv_qp_init_attr.layout());
            final int failed = Ibv.QUERY_QP.status(qp, attr.address(), ALL_ATTRIBUTES, init.address());
            if (failed < 0) {
                throw VerbFailure.of("queryQp", failed, toString());
            }
            return QpAttrCodec.read(attr, qpType);
        }
    }

    @Override
    public int postSend(final long wrAddress) {
        final long qp = address;
        if (qp == 0 || !takesSends) {
            return refused();
        }
        return qpType == QpType.UD
                ? badWr.postDatagrams(postSendFunction, qp, wrAddress)
                : badWr.post(postSendFunction, qp, wrAddress);
    }

    @Override
    public int postRecv(final long wrAddress) {
        final long qp = address;
        if (qp == 0 || !takesReceives) {
            return refused();
        }
        final int posted = badWr.post(postRecvFunction, qp, wrAddress);
        if (modifiedTo == QpState.ERR && posted > 0) {
            // A provider that posts receives without the kernel (rxe) flushes them only when the kernel is told again.
            toErr();
        }
        return posted;
    }

    private int refused() {
        return context.isDead() ? -Errno.EIO : -Errno.EINVAL;
    }

    @Override
    public synchronized void close() {
        final long qp = address;
        if (qp == 0) {
            return;
        }
        final boolean isQuiet = modifiedTo == QpState.ERR && !isMute;
        address = 0;
        try {
            context.requireDestroyed(
                    "destroyQp", context.destroying().queuePair(() -> Ibv.DESTROY_QP.status(qp), isQuiet), this);
        } catch (final RuntimeException | Error e) {
            address = qp;
            throw e;
        }
        context.qps().remove(qp, this);
        context.destroyed(this);
        pd.children().remove(this);
        sendCq.users().remove(this);
        recvCq.users().remove(this);
        if (srq != null) {
            srq.users().remove(this);
        }
    }

    @Override
    public String toString() {
        return name;
    }
}
