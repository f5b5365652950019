package io.vhca.bond.fake;

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
import io.vhca.api.QpType;
import io.vhca.api.QueuePair;
import io.vhca.api.RecvWrDescriptor;
import io.vhca.api.SendWrDescriptor;
import io.vhca.api.ServiceClass;
import io.vhca.api.SharedReceiveQueue;
import io.vhca.api.WcFlags;
import io.vhca.api.WcOpcode;
import io.vhca.api.WcStatus;
import io.vhca.api.WrOpcode;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A queue pair of a fake device, RC or UD. Requests wait until {@link FakeFabric#run}; they are executed in order, on
 * the peer's memory, and complete at once. A move to ERR flushes both queues, and all that is posted later.
 */
public final class FakeQp implements QueuePair {
    private static final int GRH_BYTES = 40;

    private final FakePd pd;
    private final FakeContext context;
    private final QpInitAttributes init;
    private final int qpNum;
    private final Deque<Posted> sends = new ArrayDeque<>();
    private final Deque<Posted> receives = new ArrayDeque<>();
    private final List<Posted> everSent = new ArrayList<>();
    private final List<byte[]> heard = new ArrayList<>();
    private final QpAttributes attributes = new QpAttributes();
    private QpState state = QpState.RESET;
    private @Nullable FakeQp peer;
    private int sendRefusal;
    private Runnable onClose = () -> {};
    private boolean paused;
    private boolean keepsFlushed;
    private boolean closed;
    private Supplier<ServiceClass> ofClass = () -> ServiceClass.NONE;

    FakeQp(final FakePd pd, final QpInitAttributes init) {
        this.pd = pd;
        this.init = init;
        context = pd.fake();
        qpNum = context.fabric().nextNumber();
        context.add(this);
        context.children().add(this);
    }

    /** Asked with each packet: what the id says that it was connected by. */
    void ofClass(final Supplier<ServiceClass> said) {
        ofClass = said;
    }

    // ---- what a test decides, and sees ------------------------------------------------------------------------------

    /** Every send that it was given, oldest first. */
    public List<Posted> everSent() {
        return everSent;
    }

    /** Sends that were not executed yet. */
    public int outstanding() {
        return sends.size();
    }

    /** Receives that no message has come for. */
    public int waitingReceives() {
        return receives.size();
    }

    /** Posts of sends answer that errno from now on; 0: as ever. */
    public void refuseSends(final int errno) {
        sendRefusal = errno;
    }

    /** Fails the oldest send as hardware would, and flushes the rest. */
    public void failOldest(final WcStatus status) {
        final Posted oldest = sends.remove();
        complete(oldest, status, 0);
        toError();
    }

    /** Fails the oldest receive as hardware would, and flushes the rest. */
    public void failOldestReceive(final WcStatus status) {
        final Posted oldest = receives.remove();
        ((FakeCq) init.recvCq())
                .push(
                        new Completion(
                                oldest.wrId(), status.code(), WcOpcode.RECV.code(), 0, 0, 0, qpNum, 0, 0),
                        false);
        toError();
    }

    /** Executes the oldest send at the peer, whose acknowledgement is lost: it stays here. */
    public void executeUnacknowledged() {
        executeUnacknowledged(1);
    }

    /** The same for the oldest few. */
    public void executeUnacknowledged(final int count) {
        for (final Posted one : List.copyOf(sends).subList(0, count)) {
            final WcStatus status = Objects.requireNonNull(peer).serve(one);
            if (status != WcStatus.SUCCESS) {
                throw new AssertionError("the peer answers " + status);
            }
        }
    }

    /** The acknowledgement of the oldest send comes after all. */
    public void completeUnacknowledged() {
        complete(sends.remove(), WcStatus.SUCCESS, 0);
    }

    /** Executes nothing from now on, or goes on. */
    public void pause(final boolean value) {
        paused = value;
    }

    /** What it is to flush it gives back later from now on, or now and at once as ever. */
    public void keepsFlushed(final boolean value) {
        keepsFlushed = value;
        if (!value && state == QpState.ERR) {
            flush();
        }
    }

    /** Goes to ERR by itself and flushes, as some devices do without a word. */
    public void flushUnasked() {
        flush();
    }

    /** A completion that a test makes up arrives on the send CQ. */
    public void injectSend(final Completion completion) {
        ((FakeCq) init.sendCq()).push(completion, false);
    }

    /** Is run as it is destroyed, while it is still there. */
    public void onClose(final Runnable looks) {
        onClose = looks;
    }

    public boolean isClosed() {
        return closed;
    }

    /** The device says something of this queue pair. */
    public void say(final AsyncEventType type) {
        context.raise(AsyncEvent.ofQp(type, this));
    }

    // ---- connection -------------------------------------------------------------------------------------------------

    void connected(final FakeQp to) {
        peer = to;
        attributes.destQpNum(to.qpNum());
        if (state != QpState.ERR) {
            state = QpState.RTS;
        }
    }

    void initialize() {
        state = QpState.INIT;
    }

    // ---- execution --------------------------------------------------------------------------------------------------

    int execute() {
        int count = 0;
        while (state == QpState.RTS && !paused && !context.isDead() && !sends.isEmpty() && execute(sends.element())) {
            count++;
        }
        return count;
    }

    /** False where the request stays. */
    private boolean execute(final Posted one) {
        if (init.qpType() == QpType.UD) {
            sends.remove();
            complete(one, WcStatus.SUCCESS, 0);
            datagram(one);
            return true;
        }
        final FakeQp to = peer;
        if (to == null || !to.answers(this)) {
            return false;
        }
        final WcStatus status = one.isInline() || areLocal(one) ? to.serve(one) : WcStatus.LOC_PROT_ERR;
        if (status == WcStatus.RNR_RETRY_EXC_ERR) {
            return false;
        }
        sends.remove();
        complete(one, status, one.length());
        if (status != WcStatus.SUCCESS) {
            toError();
        }
        return true;
    }

    private boolean areLocal(final Posted one) {
        for (final Posted.Part part : one.parts()) {
            final FakeMr region = context.regions().get(part.lkey());
            if (region == null || !region.covers(part.address(), part.length())) {
                return false;
            }
        }
        return true;
    }

    private boolean answers(final FakeQp from) {
        return (state == QpState.RTS || state == QpState.RTR)
                && !closed
                && context.fabric().reaches(from.context.fake(), context.fake(), from.ofClass.get());
    }

    /** Executes a request of the peer's here. */
    private WcStatus serve(final Posted one) {
        final WrOpcode opcode = WrOpcode.fromCode(one.opcode());
        final Posted receive = WrOpcode.consumesReceive(one.opcode()) ? takeReceive() : null;
        if (WrOpcode.consumesReceive(one.opcode()) && receive == null) {
            return WcStatus.RNR_RETRY_EXC_ERR;
        }
        final Posted.Target target = one.target();
        switch (opcode) {
            case SEND, SEND_WITH_IMM -> received(Objects.requireNonNull(receive), one, one.gather(), 0);
            case RDMA_WRITE, RDMA_WRITE_WITH_IMM -> {
                if (one.length() > 0 && !isRemote(target, one.length())) {
                    return WcStatus.REM_ACCESS_ERR;
                }
                NativeMemory.segment(target.address(), one.length())
                        .asByteBuffer()
                        .put(one.gather());
                if (receive != null) {
                    received(receive, one, new byte[0], one.length());
                }
            }
            case RDMA_READ -> {
                if (!isRemote(target, one.length())) {
                    return WcStatus.REM_ACCESS_ERR;
                }
                one.scatter(Posted.bytes(target.address(), one.length()));
            }
            case ATOMIC_FETCH_AND_ADD, ATOMIC_CMP_AND_SWP -> {
                if (!isRemote(target, Long.BYTES)) {
                    return WcStatus.REM_ACCESS_ERR;
                }
                final long before = opcode == WrOpcode.ATOMIC_FETCH_AND_ADD
                        ? NativeMemory.getAndAddLong(target.address(), target.compareAdd())
                        : NativeMemory.compareAndExchangeLong(
                                target.address(), target.compareAdd(), target.swap());
                one.scatter(ByteBuffer.allocate(Long.BYTES)
                        .order(ByteOrder.nativeOrder())
                        .putLong(before)
                        .array());
            }
            default -> {
                return WcStatus.REM_INV_REQ_ERR;
            }
        }
        return WcStatus.SUCCESS;
    }

    private boolean isRemote(final Posted.Target target, final int length) {
        final FakeMr region = context.regions().get(target.rkey());
        return region != null && region.covers(target.address(), length);
    }

    private @Nullable Posted takeReceive() {
        return init.srq() instanceof FakeSrq srq ? srq.take() : receives.poll();
    }

    /** The messages that have arrived, for who has listened on the path. */
    public List<byte[]> heard() {
        return heard;
    }

    /** A message that somebody on the path sends in the peer's name. */
    public void inject(final byte[] bytes) {
        final Posted receive = Objects.requireNonNull(takeReceive());
        receive.scatter(bytes);
        ((FakeCq) init.recvCq())
                .push(
                        new Completion(
                                receive.wrId(), 0, WcOpcode.RECV.code(), 0, bytes.length, 0, qpNum, 0, 0),
                        false);
    }

    private void received(final Posted receive, final Posted from, final byte[] bytes, final int written) {
        heard.add(bytes);
        receive.scatter(bytes);
        final boolean hasImm = WrOpcode.fromCode(from.opcode()).name().endsWith("IMM");
        ((FakeCq) init.recvCq())
                .push(
                        new Completion(
                                receive.wrId(), 0,
                                (written > 0 ? WcOpcode.RECV_RDMA_WITH_IMM : WcOpcode.RECV).code(), 0,
                                bytes.length + written, from.immData(), qpNum, 0, hasImm ? WcFlags.WITH_IMM : 0),
                        from.isSolicited());
    }

    private void datagram(final Posted one) {
        final FakeAh ah = context.handles().get(one.target().ah());
        final FakeContext at = ah == null ? null : context.fabric().reach(context, ah.to());
        if (ah == null
                || at == null
                || !context.fabric().reaches(context.fake(), at.fake(), ServiceClass.of(ah.attributes()))) {
            return;
        }
        final FakeQp to = at.queuePair(one.target().qpNum());
        final Posted receive = to == null || to.state == QpState.ERR ? null : to.takeReceive();
        if (to == null || receive == null) {
            return;
        }
        // The GRH of IPv4: a header of 20 bytes in the last 20 of 40, source at 12.
        final byte[] payload = one.gather();
        final ByteBuffer message = ByteBuffer.allocate(GRH_BYTES + payload.length);
        message.put(20, (byte) 0x45);
        message.put(32, context.fake().address().getAddress());
        message.put(36, at.fake().address().getAddress());
        message.put(GRH_BYTES, payload);
        receive.scatter(message.array());
        final boolean hasImm = one.opcode() == WrOpcode.SEND_WITH_IMM.code();
        ((FakeCq) to.init.recvCq())
                .push(
                        new Completion(
                                receive.wrId(), 0, WcOpcode.RECV.code(), 0, message.capacity(), one.immData(),
                                to.qpNum, qpNum, WcFlags.GRH | (hasImm ? WcFlags.WITH_IMM : 0)),
                        one.isSolicited());
    }

    /** The oldest request is out of retries; false where none waits for an answer that cannot come. */
    boolean expire() {
        final FakeQp to = peer;
        final boolean isStuck =
                state == QpState.RTS && !sends.isEmpty() && !context.isDead() && (to == null || !to.answers(this));
        if (isStuck) {
            failOldest(WcStatus.RETRY_EXC_ERR);
        }
        return isStuck;
    }

    private void complete(final Posted one, final WcStatus status, final int length) {
        if (one.isSignaled() || status != WcStatus.SUCCESS) {
            final WcOpcode opcode = switch (WrOpcode.fromCode(one.opcode())) {
                case RDMA_WRITE, RDMA_WRITE_WITH_IMM -> WcOpcode.RDMA_WRITE;
                case RDMA_READ -> WcOpcode.RDMA_READ;
                case ATOMIC_CMP_AND_SWP -> WcOpcode.COMP_SWAP;
                case ATOMIC_FETCH_AND_ADD -> WcOpcode.FETCH_ADD;
                default -> WcOpcode.SEND;
            };
            injectSend(new Completion(one.wrId(), status.code(), opcode.code(), 0, length, 0, qpNum, 0, 0));
        }
    }

    private void toError() {
        state = QpState.ERR;
        flush();
        if (init.srq() != null && context.fake().raisesLastWqe()) {
            say(AsyncEventType.QP_LAST_WQE_REACHED);
        }
    }

    /** Gives back all that was posted. */
    void flush() {
        state = QpState.ERR;
        if (keepsFlushed) {
            return;
        }
        for (Posted one = sends.poll(); one != null; one = sends.poll()) {
            complete(one, WcStatus.WR_FLUSH_ERR, 0);
        }
        for (Posted one = receives.poll(); one != null; one = receives.poll()) {
            ((FakeCq) init.recvCq())
                    .push(
                            new Completion(
                                    one.wrId(), WcStatus.WR_FLUSH_ERR.code(), WcOpcode.RECV.code(), 0, 0, 0, qpNum, 0,
                                    0),
                            false);
        }
    }

    // ---- verbs ------------------------------------------------------------------------------------------------------

    @Override
    public int postSend(final long wrAddress) {
        if (context.isDead() || sendRefusal != 0) {
            return -(sendRefusal != 0 ? sendRefusal : Errno.EIO);
        }
        int count = 0;
        for (long wr = wrAddress; wr != 0; wr = NativeMemory.getLong(wr + SendWrDescriptor.NEXT_OFFSET)) {
            if (sends.size() >= init.cap().maxSendWr()) {
                return count == 0 ? -Errno.ENOMEM : count;
            }
            final Posted one = Posted.send(wr);
            sends.add(one);
            everSent.add(one);
            count++;
        }
        if (state == QpState.ERR) {
            flush();
        }
        return count;
    }

    @Override
    public int postRecv(final long wrAddress) {
        if (context.isDead()) {
            return -Errno.EIO;
        }
        int count = 0;
        for (long wr = wrAddress; wr != 0; wr = NativeMemory.getLong(wr + RecvWrDescriptor.NEXT_OFFSET)) {
            if (receives.size() >= init.cap().maxRecvWr()) {
                return count == 0 ? -Errno.ENOMEM : count;
            }
            receives.add(Posted.receive(wr));
            count++;
        }
        if (state == QpState.ERR) {
            flush();
        }
        return count;
    }

    @Override
    public void modify(final QpAttributes change) {
        context.check("modifyQp");
        attributes.merge(change);
        if (change.has(QpAttrMask.STATE)) {
            if (change.qpState() == QpState.ERR) {
                toError();
            } else {
                state = change.qpState();
            }
        }
    }

    @Override
    public QpAttributes query() {
        context.check("queryQp");
        return new QpAttributes().merge(attributes);
    }

    @Override
    public ProtectionDomain pd() {
        return pd;
    }

    @Override
    public CompletionQueue sendCq() {
        return init.sendCq();
    }

    @Override
    public CompletionQueue recvCq() {
        return init.recvCq();
    }

    @Override
    public @Nullable SharedReceiveQueue srq() {
        return init.srq();
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

    /** Destroying swallows what it was given. */
    @Override
    public void close() {
        onClose.run();
        closed = true;
        context.remove(this);
        context.children().remove(this);
    }
}
