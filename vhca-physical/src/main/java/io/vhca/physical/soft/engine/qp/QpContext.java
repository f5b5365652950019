package io.vhca.physical.soft.engine.qp;

import io.vhca.api.AsyncEvent;
import io.vhca.api.AsyncEventType;
import io.vhca.api.QpAttrMask;
import io.vhca.api.QpAttributes;
import io.vhca.api.QpCapabilities;
import io.vhca.api.QpInitAttributes;
import io.vhca.api.QpState;
import io.vhca.api.QpType;
import io.vhca.api.QueuePair;
import io.vhca.api.WcOpcode;
import io.vhca.api.WcStatus;
import io.vhca.api.WrOpcode;
import io.vhca.physical.soft.engine.core.EngineCore;
import io.vhca.physical.soft.engine.core.Path;
import io.vhca.physical.soft.engine.memory.MemoryDomain;
import io.vhca.physical.soft.engine.port.Port;
import io.vhca.physical.soft.engine.queue.ReceiveQueue;
import io.vhca.physical.soft.engine.queue.RecvWqeDescriptor;
import io.vhca.physical.soft.engine.queue.SendQueue;
import io.vhca.physical.soft.engine.queue.SendWqeDescriptor;
import io.vhca.physical.soft.engine.queue.SoftCq;
import io.vhca.physical.soft.engine.queue.SoftSrq;
import io.vhca.physical.soft.timer.TimerHeap;
import io.vhca.physical.soft.wire.Opcodes;
import io.vhca.physical.soft.wire.PacketFlyweight;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The context of a queue pair, which is what the engine knows of it: state, attributes, queues and completions. The
 * protocol is its {@link Transport}'s, the verbs are those of the {@link QueuePair} that applications hold.
 *
 * <p>The engine's owner, unless a method says otherwise. A slot of a queue is free again when its request is done,
 * whether its completion was polled or not, so a full send queue is no guard against an overrun of the CQ.
 */
public final class QpContext extends TimerHeap.Timed {
    private final EngineCore core;
    private final RunQueue turns;
    private final MemoryDomain domain;
    private final QueuePair face;
    private final int qpNum;
    private final SoftCq sendCq;
    private final SoftCq recvCq;
    private final @Nullable SoftSrq srq;
    private final QpType type;
    private final SendQueue sends;
    private final ReceiveQueue receives;
    private final QpSettings settings = new QpSettings();
    private final Transport transport;
    private volatile QpState state = QpState.RESET;
    /** It is in ERR, for the completion that says so is being written, and what else ERR means is not done yet. */
    private boolean isFailing;
    private volatile boolean isClosed;

    /** Position in {@link QpTable}. */
    int liveIndex;
    /** Links of {@link RunQueue}. */
    @Nullable QpContext nextRung;

    volatile int isRung;
    @Nullable QpContext nextRunnable;
    boolean isRunnable;

    /**
     * A queue pair in RESET. Counts itself among the users of its domain, its CQs and its SRQ.
     *
     * @param face       what events and completions are about, as applications know it
     * @param attributes checked
     * @param protocol   makes the transport, from an otherwise complete context
     */
    public QpContext(
            final EngineCore core,
            final RunQueue turns,
            final MemoryDomain domain,
            final QueuePair face,
            final int qpNum,
            final QpInitAttributes attributes,
            final Function<QpContext, Transport> protocol) {
        this.core = core;
        this.turns = turns;
        this.domain = domain;
        this.face = face;
        this.qpNum = qpNum;
        sendCq = (SoftCq) attributes.sendCq();
        recvCq = (SoftCq) attributes.recvCq();
        srq = (SoftSrq) attributes.srq();
        type = attributes.qpType();
        final QpCapabilities cap = attributes.cap();
        receives = srq != null ? srq.queue() : new ReceiveQueue(cap.maxRecvWr(), cap.maxRecvSge());
        SendQueue made = null;
        try {
            made = new SendQueue(cap, isDatagram(), attributes.sqSigAll());
            sends = made;
            transport = protocol.apply(this);
        } catch (final RuntimeException | Error e) {
            if (made != null) {
                made.free();
            }
            if (srq == null) {
                receives.free();
            }
            throw e;
        }
        domain.addUser();
        sendCq.addUser();
        recvCq.addUser();
        if (srq != null) {
            srq.addUser();
        }
    }

    // Attributes. Any thread, where they never change.

    public int qpNum() {
        return qpNum;
    }

    public QpType type() {
        return type;
    }

    public boolean isDatagram() {
        return type == QpType.UD;
    }

    public SoftCq sendCq() {
        return sendCq;
    }

    public SoftCq recvCq() {
        return recvCq;
    }

    public @Nullable SoftSrq srq() {
        return srq;
    }

    public SendQueue sends() {
        return sends;
    }

    /** Its own receives or those of its SRQ. */
    public ReceiveQueue receives() {
        return receives;
    }

    public MemoryDomain domain() {
        return domain;
    }

    public Transport transport() {
        return transport;
    }

    /** The attributes as they are now. */
    public QpSettings settings() {
        return settings;
    }

    /** Any thread. */
    public QpState state() {
        return state;
    }

    /** Any thread. */
    public boolean isClosed() {
        return isClosed;
    }

    /** READs and atomics that may be outstanding at most, whatever is set now: SQD allows to change that. */
    public int maxRdAtomic() {
        return core.config().maxRdAtomic();
    }

    /** Bytes of the largest message. */
    public long maxMessageBytes() {
        return core.config().maxMessageBytes();
    }

    /** True while a connected queue pair's transport may send and take responses. */
    public boolean isSending() {
        final QpState now = state;
        return now == QpState.RTS || now == QpState.SQD;
    }

    /** True when a packet of that kind from that source may come to this queue pair now. */
    public boolean takes(final PacketFlyweight packet) {
        final QpState now = state;
        return packet.has(Opcodes.HAS_DETH) == isDatagram()
                && (now == QpState.RTR || now == QpState.RTS || now == QpState.SQD || now == QpState.SQE);
    }

    /** True when the packet comes from the peer, or from anywhere where there is no single peer. */
    public boolean isFromPeer(final PacketFlyweight packet) {
        if (isDatagram()) {
            return true;
        }
        final Path path = settings.path();
        return path != null && path.isFrom(packet.sourceHigh(), packet.sourceLow());
    }

    /** True when the peer may access that range so, by the queue pair's own access flags and by the key. */
    public boolean allowsRemote(final int rkey, final long address, final long lengthBytes, final int access) {
        return (settings.accessFlags() & access) != 0
                && (lengthBytes == 0 || domain.allows(rkey, address, lengthBytes, access));
    }

    // Turns and events.

    /** Asks for a turn, once a request is visible. Any thread. */
    public void ring() {
        turns.ring(this);
    }

    /** Asks for a turn. */
    public void schedule() {
        turns.add(this);
    }

    /** Its transport, which knows its deadlines, set a timer. */
    public void setTimer(final long deadlineNs) {
        assert core.isOwner() : "only the engine's owner sets timers";
        turns.setTimer(this, deadlineNs);
    }

    /** The first request of the peer came: it has been told of this queue pair. */
    public void firstRequest() {
        core.firstRequest(qpNum);
        if (state == QpState.RTR) {
            raise(AsyncEventType.COMM_EST);
        }
    }

    /** Raises an event about this queue pair. */
    public void raise(final AsyncEventType event) {
        core.raise(AsyncEvent.ofQp(event, face));
    }

    /** One turn: sends what may be sent; true when there is more. */
    boolean run(final int budget) {
        try {
            return turn(budget);
        } catch (final RuntimeException | Error e) {
            lose(e);
            return false;
        }
    }

    /** A packet of its peer's has arrived. One at which the engine fails would be taken a second time, half done. */
    public void onPacket(final PacketFlyweight packet) {
        try {
            transport.onPacket(packet);
        } catch (final RuntimeException | Error e) {
            lose(e);
        }
    }

    /** A timer has expired. */
    void onDeadline() {
        try {
            transport.onDeadline();
        } catch (final RuntimeException | Error e) {
            lose(e);
        }
    }

    /** The engine failed at this queue pair, which is lost, and nothing else. */
    private void lose(final Throwable e) {
        try {
            core.queuePairFault(e);
            enterError(AsyncEventType.QP_FATAL, false);
        } catch (final RuntimeException | Error again) {
            core.queuePairFault(again);
        }
    }

    private boolean turn(final int budget) {
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

    // States.

    /** What modifyQp does; EINVAL, and nothing is changed, for what may not be done. */
    public void modify(final Port port, final QpAttributes attributes) {
        assert core.isOwner() : "only the engine's owner changes the state";
        settings.judge(this, port, attributes);
        settings.apply(port, attributes);
        if (attributes.has(QpAttrMask.STATE)) {
            moveTo(port, attributes.qpState());
        }
    }

    /** What queryQp answers. */
    public QpAttributes query() {
        assert core.isOwner() : "only the engine's owner reads the attributes";
        return settings.toAttributes(state);
    }

    private void moveTo(final Port port, final QpState to) {
        final QpState from = state;
        if (to == QpState.ERR) {
            enterError(null, false);
            return;
        }
        if (to == QpState.RESET) {
            reset(port);
        } else if (from == QpState.SQE) {
            flushSends();
            if (state == QpState.ERR) {
                return; // a flush overran its CQ
            }
        }
        state = to;
        transport.onState(from, to);
        schedule();
    }

    private void reset(final Port port) {
        state = QpState.RESET;
        transport.forget();
        sends.lock();
        sends.reset();
        sends.unlock();
        if (srq == null) {
            receives.lock();
            receives.reset();
            receives.unlock();
        }
        purge();
        settings.clear(port);
    }

    private void purge() {
        sendCq.purge(qpNum);
        recvCq.purge(qpNum);
    }

    /** Gives the path to the peer back: nothing is sent any more. */
    public void leavePeer(final Port port) {
        settings.release(port);
    }

    /** The queue pair is destroyed: nothing of it is left, in its CQs either. Later posts are refused. */
    public void close() {
        assert core.isOwner() && !isClosed : "the engine's owner closes once";
        transport.forget();
        turns.forgetTimer(this);
        sends.lock();
        receives.lock();
        isClosed = true;
        state = QpState.RESET;
        receives.unlock();
        sends.unlock();
        purge();
        domain.removeUser();
        sendCq.removeUser();
        recvCq.removeUser();
        sends.free();
        if (srq != null) {
            srq.removeUser();
        } else {
            receives.free();
        }
    }

    /** Moves to ERR, flushes, and raises the event if there is one. */
    public void enterError(final @Nullable AsyncEventType event, final boolean isLost) {
        assert core.isOwner() : "only the engine's owner changes the state";
        if (state == QpState.ERR && !isFailing || state == QpState.RESET && event != null) {
            return;
        }
        state = QpState.ERR;
        isFailing = false;
        transport.abandon(isLost);
        flush();
        if (event != null) {
            raise(event);
        }
        if (srq != null && !core.config().forgetsLastReceive()) {
            raise(AsyncEventType.QP_LAST_WQE_REACHED);
        }
    }

    /** The device died: everything posted is flushed, without an event of its own. */
    public void die() {
        if (state != QpState.RESET) {
            enterError(null, true);
        }
    }

    /** The port went down: what was acknowledged and not placed is lost, and the connection with it. */
    public void portWentDown() {
        if (transport.holdsUnplaced()) {
            enterError(AsyncEventType.QP_FATAL, true);
        }
    }

    private void flush() {
        flushSends();
        if (srq == null) {
            receives.awaitPosters();
            while (!receives.isEmpty()) {
                final long wrId = RecvWqeDescriptor.wrId(receives.front());
                receives.pop();
                flushReceive(wrId);
            }
        }
    }

    private void flushSends() {
        // Whoever posts after this sees ERR or SQE and rings; whoever posted before is flushed here.
        sends.awaitPosters();
        // Looked at each time: a completion that overruns its CQ ends in ERR, which flushes what is left by itself.
        while (sends.consumer() < sends.producer() && !transport.isStalled()) {
            completeSend(WcStatus.WR_FLUSH_ERR);
        }
    }

    // Completions.

    /** Takes the oldest send off the queue, with a completion where it failed or asked for one. */
    public void completeSend(final WcStatus status) {
        final long wqe = sends.address(sends.consumer());
        final boolean isSignaled = status != WcStatus.SUCCESS || sends.isSignaled(wqe);
        final long wrId = SendWqeDescriptor.wrId(wqe);
        final WcOpcode opcode = completionOpcode(SendWqeDescriptor.opcode(wqe));
        final int lengthBytes = (int) SendWqeDescriptor.length(wqe);
        sends.pop();
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
     * The oldest send failed: moves to ERR and completes it so, in that order, for whoever polls the completion may ask
     * for the state. To SQE where it was a datagram: then receives go on and the application may go back to RTS (IB
     * spec vol. 1, 10.3.1).
     */
    public void failSend(final WcStatus status) {
        if (isDatagram() && state != QpState.ERR) {
            state = QpState.SQE;
            completeSend(status);
            if (state == QpState.SQE) {
                flushSends();
            }
        } else {
            beginError();
            completeSend(status);
            enterError(null, false);
        }
    }

    /** A receive that was taken off the queue failed, and the queue pair with it: as {@link #failSend}. */
    public void failReceive(final long wrId, final WcStatus status) {
        beginError();
        completeReceive(wrId, status, WcOpcode.RECV, 0, 0, 0, 0, false);
        enterError(null, false);
    }

    /** In ERR from now on; {@link #enterError} does the rest, once the completion that says so is written. */
    private void beginError() {
        if (state != QpState.ERR) {
            isFailing = true;
            state = QpState.ERR;
        }
    }

    /** The sending side hangs until the queue pair is reset, where the protocol can hang. */
    public void stall() {
        transport.stall();
    }

    /** The oldest send of a connection fails for a reason of the adapter's own, where there is one. */
    public void failOldestSend() {
        if (state == QpState.RTS && sends.consumer() < sends.producer()) {
            failSend(WcStatus.LOC_QP_OP_ERR);
        }
    }

    /** Reports a receive that was taken off the queue and not filled. */
    public void flushReceive(final long wrId) {
        completeReceive(wrId, WcStatus.WR_FLUSH_ERR, WcOpcode.RECV, 0, 0, 0, 0, false);
    }

    /** Reports a receive that was taken off the queue. */
    public void completeReceive(
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

    @Override
    public String toString() {
        return face.toString();
    }
}
