package io.vhca.exs.engine;

import io.vhca.api.Errno;
import io.vhca.api.WcStatus;
import io.vhca.exs.wire.Greeting;
import io.vhca.exs.wire.MessageDescriptor;

/**
 * The protocol of one connected socket, without I/O, clock or thread: it is told of calls, of messages that came and of
 * work requests that completed; it posts through a {@link Port} and tells a {@link CallSink} of calls that are
 *     complete.
 *
 * <pre>
 *   nextSend, addSend --> SendHalf    -- DATA, ADVERT, WRITE with immediate --> peer
 *   nextRecv, addRecv --> ReceiveHalf -- READ, ACK, DIRECT -----------------> peer
 * </pre>
 *
 * <p>What it is told is worked on in {@link #progress}, so that what came together is answered together. Once it has
 * failed it posts nothing; {@link #over} completes what is left when nothing touches the memory any more. One thread
 * at a time. Allocates nothing after its calls have been used once.
 */
public final class SocketEngine {
    private static final String FORGED = "; the peer does not keep to the protocol, connect anew";

    private final EngineSizes sizes;
    private final boolean isPackets;
    private final Port port;
    private final Credits credits;
    private final SentWork work;
    private final Outgoing outgoing;
    private final CallRing sendCalls;
    private final CallRing receiveCalls;
    private final SendHalf sends;
    private final ReceiveHalf receives;
    private final KeepAlive keepAlive;
    private final int mostData;
    private int nextNumber;
    private int errno;
    private String failure = "";
    private boolean isDraining;
    private boolean isFlushed; // the queue pair has failed, and nothing has said why

    /**
     * A socket that is about to be connected.
     *
     * @param isPackets sends are messages and keep their bounds
     * @param peer      what the peer said of itself; nothing is wrong with it
     */
    public SocketEngine(
            final boolean isPackets,
            final EngineSizes sizes,
            final Greeting peer,
            final Port port,
            final CallSink sink) {
        assert peer.wrong().isEmpty() : peer;
        this.sizes = sizes;
        this.isPackets = isPackets;
        this.port = port;
        credits = new Credits(
                peer.dataCredits(), peer.controlCredits(), sizes.dataCredits(), sizes.controlCredits());
        work = new SentWork(sizes.workRequests(), sizes.messageSlots());
        outgoing = new Outgoing(port, work, credits);
        sendCalls = new CallRing(sizes.calls());
        receiveCalls = new CallRing(sizes.calls());
        final EngineParts parts = new EngineParts(isPackets, sizes, port, sink, work, credits, outgoing);
        mostData = Math.min(sizes.messageSize(), peer.messageSize()) - MessageDescriptor.SIZE;
        sends = new SendHalf(parts, sendCalls, mostData, peer.dataCredits());
        receives = new ReceiveHalf(
                parts, receiveCalls, Math.min(peer.receives(), EngineSizes.MAX_DIRECT),
                1 + mostData / MessageDescriptor.RECEIVE_SIZE);
        keepAlive = new KeepAlive(sizes.keepAliveNs());
    }

    /** Most bytes of a send that travel in a message: what both ends have room for. */
    public int mostData() {
        return mostData;
    }

    public boolean isSendFull() {
        return sendCalls.isFull();
    }

    public boolean isRecvFull() {
        return receiveCalls.isFull();
    }

    /** An empty send, to be filled and then added; not while {@link #isSendFull}. */
    public Call nextSend() {
        return sendCalls.next();
    }

    /** The send given last is whole. {@link #progress} begins it. */
    public void addSend() {
        assert errno == 0 && !sends.isShut() : failure;
        sendCalls.add();
    }

    /** An empty receive, to be filled and then added; not while {@link #isRecvFull}. */
    public Call nextRecv() {
        return receiveCalls.next();
    }

    /** The receive given last is whole. {@link #progress} begins it. */
    public void addRecv() {
        assert mayReceive() : failure;
        receiveCalls.add();
    }

    /** Nothing will be sent any more but what was added; the peer reads the end after it. */
    public void shutdown() {
        sends.shutdown();
    }

    /** True once {@link #shutdown} was called. */
    public boolean isShut() {
        return sends.isShut();
    }

    /** True when the peer has all that was sent, and has been told that it was all. */
    public boolean isSendDone() {
        return sends.isDone();
    }

    /** Cancels a send; false when it is under way or complete. */
    public boolean cancelSend(final long sequence) {
        return sends.cancel(sequence, Errno.ECANCELED);
    }

    /** Cancels a receive; false when it is under way, or told of to the peer, or complete. */
    public boolean cancelRecv(final long sequence) {
        return receives.cancel(sequence, Errno.ECANCELED);
    }

    /** True when a receive would find data or the end. */
    public boolean isReadable() {
        return receives.isReadable();
    }

    /** False when nothing more can be received: a receive would never complete. */
    public boolean mayReceive() {
        return errno == 0 || isDraining;
    }

    /** True when a send would be begun at once. */
    public boolean isWritable() {
        return !sendCalls.isFull() && outgoing.mayData();
    }

    /** True when the peer has said that nothing more will come. */
    public boolean isPeerFinished() {
        return receives.isFinished();
    }

    /** 0, or why it has failed: a positive errno. */
    public int errno() {
        return errno;
    }

    /** Why it has failed, in a sentence. */
    public String failure() {
        return failure;
    }

    /** Does all that can be done. */
    public void progress() {
        if (errno == 0) {
            sends.progress();
            receives.progress();
            outgoing.flush();
        } else if (isDraining) {
            receives.drain(endErrno());
        }
    }

    /**
     * Probes a peer that is silent, and ends what was flushed a silence ago and got no cause since. Called at least
     * twice in {@link EngineSizes#keepAliveNs}, with a clock that only goes forward.
     */
    public void look(final long nowNs) {
        if (!keepAlive.isProbeDue(nowNs) || errno != 0) {
            return;
        }
        if (isFlushed) {
            fail(Errno.ECONNRESET, "the connection is broken, and nothing says why (WR_FLUSH_ERR)");
        } else if (!work.isAwaited()) {
            assert work.room() > 0 : "work requests that nobody waits for are a quarter at most";
            work.probe();
            port.postProbe();
        }
    }

    /** A SEND arrived in a receive slot. */
    public void onMessage(final int slot, final long at, final int lengthBytes) {
        keepAlive.heard();
        if (errno != 0) {
            return;
        }
        final String wrong = check(at, lengthBytes);
        if (!wrong.isEmpty()) {
            fail(Errno.EPROTO, wrong + FORGED);
            return;
        }
        nextNumber++;
        final int type = MessageDescriptor.type(at);
        switch (type) {
            case MessageDescriptor.DATA -> receives.onData(at, slot);
            case MessageDescriptor.ADVERT -> receives.onAdvert(at);
            case MessageDescriptor.DIRECT -> {
                final String refused = sends.onDirect(at);
                if (!refused.isEmpty()) {
                    fail(Errno.EPROTO, refused + FORGED);
                }
            }
            case MessageDescriptor.FIN -> receives.onFin();
            default -> {
                // an ACK was taken with its header
            }
        }
        if (type != MessageDescriptor.DATA) {
            port.postReceive(slot);
        }
    }

    /** What is wrong with a message, or empty. Takes what its header gives back. */
    private String check(final long at, final int lengthBytes) {
        if (lengthBytes < MessageDescriptor.SIZE) {
            return "a message of " + lengthBytes + " bytes is shorter than its header";
        }
        final int dataLength = MessageDescriptor.dataLength(at);
        if (dataLength != lengthBytes - MessageDescriptor.SIZE) {
            return "a message of " + lengthBytes + " bytes says that " + dataLength + " are data";
        }
        if (MessageDescriptor.number(at) != nextNumber) {
            return "message " + MessageDescriptor.number(at) + " came in place of " + nextNumber;
        }
        final int type = MessageDescriptor.type(at);
        final boolean isCredited = isTaken(type) ? credits.onData() : credits.onControl();
        if (!isCredited) {
            return "a message of type " + type + " came without a credit";
        }
        if (!credits.onReturn(MessageDescriptor.dataCredits(at), MessageDescriptor.controlCredits(at))) {
            return "more credits came back than were used: " + MessageDescriptor.dataCredits(at) + " and "
                    + MessageDescriptor.controlCredits(at);
        }
        if (!sends.onAcked(MessageDescriptor.acked(at))) {
            return "adverts are acknowledged that were never sent: up to " + MessageDescriptor.acked(at);
        }
        return checkContent(at, type, dataLength);
    }

    private String checkContent(final long at, final int type, final int dataLength) {
        if (type < MessageDescriptor.DATA || type > MessageDescriptor.FIN) {
            return "a message has type " + type + ", which nobody knows";
        }
        final int flags = MessageDescriptor.flags(at);
        final int known = type == MessageDescriptor.DIRECT
                ? MessageDescriptor.WAIT_ALL
                : isTaken(type) && isPackets ? MessageDescriptor.MORE : 0;
        if ((flags & ~known) != 0) {
            return "a message of type " + type + " has flags " + flags;
        }
        final boolean isList = type == MessageDescriptor.DIRECT && dataLength % MessageDescriptor.RECEIVE_SIZE == 0;
        if (dataLength > 0 && type != MessageDescriptor.DATA && !isList) {
            return "a message of type " + type + " carries data";
        }
        if (receives.isFinished() && (isTaken(type) || type == MessageDescriptor.FIN)) {
            return "a message of type " + type + " came after the last one";
        }
        if (type == MessageDescriptor.FIN && receives.isWithinMessage()) {
            return "the end came within a message that goes on";
        }
        return type == MessageDescriptor.ADVERT || type == MessageDescriptor.DIRECT ? checkMemory(at) : "";
    }

    private static String checkMemory(final long at) {
        for (int i = 0; i < MessageDescriptor.receives(at); i++) {
            final long length = MessageDescriptor.length(at, i);
            final long address = MessageDescriptor.address(at, i);
            if (length <= 0 || Long.compareUnsigned(address + length, address) < 0) {
                return "memory is advertised from " + address + ", " + length + " bytes";
            }
            if (i > 0 && (MessageDescriptor.flags(at, i) & ~MessageDescriptor.WAIT_ALL) != 0) {
                return "a receive has flags " + MessageDescriptor.flags(at, i);
            }
        }
        return "";
    }

    private static boolean isTaken(final int type) {
        return type == MessageDescriptor.DATA || type == MessageDescriptor.ADVERT;
    }

    /** A WRITE with immediate arrived, and consumed a receive slot. */
    public void onWriteWithImm(final int slot, final int imm) {
        keepAlive.heard();
        if (errno != 0) {
            return;
        }
        if (!credits.onData()) {
            fail(Errno.EPROTO, "a WRITE came without a credit" + FORGED);
        } else if (receives.isFinished() || !receives.onWritten(imm)) {
            fail(Errno.EPROTO, "a WRITE of " + imm + " bytes came for no receive" + FORGED);
        } else {
            credits.dataDone();
            port.postReceive(slot);
        }
    }

    /**
     * A send work request completed, and with it all before it.
     *
     * @param number the low bits of how many were posted before it
     */
    public void onSent(final int number) {
        keepAlive.heard();
        while (!work.isEmpty() && (int) work.head() - number <= 0) {
            final Call call = work.call();
            if (call != null && work.kind() == SentWork.READ) {
                receives.onRead(call, work.arrival());
            } else if (call != null) {
                sends.onWritten(call);
            }
            work.pop();
        }
    }

    /** A send work request failed; the queue pair takes nothing more. */
    public void onSendFailed(final int number, final WcStatus status) {
        if (errno != 0) {
            return;
        }
        if (status == WcStatus.WR_FLUSH_ERR) {
            onFlushed();
            return;
        }
        onSent(number - 1);
        final boolean isTransfer = !work.isEmpty() && (int) work.head() == number && work.isTransfer();
        switch (status) {
            case REM_ACCESS_ERR, REM_INV_REQ_ERR, REM_OP_ERR ->
                fail(Errno.EFAULT, isTransfer
                        ? "the peer named memory that may not be reached, or took it back (" + status + ")"
                        : "the peer refused a message (" + status + ")");
            case LOC_PROT_ERR ->
                fail(Errno.EFAULT, "memory of this call was deregistered while it was in use (" + status + ")");
            default -> fail(Errno.ECONNRESET, "the connection is broken (" + status + ")");
        }
    }

    /**
     * A work request, or a receive, was flushed: the queue pair has failed. A flush is never a cause, and the cause has
     * the time of a silence to come; where it is the peer's alone, nothing else may ever say that this end is over.
     */
    public void onFlushed() {
        if (!isFlushed) {
            isFlushed = true;
            keepAlive.heard();
        }
    }

    /** Fails for a reason from outside; the first one counts. */
    public void fail(final int why, final String sentence) {
        if (errno == 0) {
            errno = why;
            failure = sentence;
        }
    }

    /**
     * The queue pair is gone and nothing touches memory of this socket any more: completes all that is left, in order.
     * What had come in messages by then can still be received, where nothing before it is missing; and the end, where
     * nothing is missing at all.
     */
    public void over(final int why, final String sentence) {
        fail(why, sentence);
        outgoing.close();
        sends.abort(errno);
        isDraining = errno != Errno.EPROTO && errno != Errno.ECANCELED && receives.cutUnread();
        if (isDraining) {
            progress();
        } else {
            receives.abort(errno);
        }
    }

    /** What a receive after all data ends with: nothing is wrong where the peer said that it was all. */
    private int endErrno() {
        return receives.isFinished() ? 0 : errno;
    }

    /** True when {@link #over} was called and no receive finds anything any more but the end. */
    public boolean isOver() {
        return errno != 0 && !(isDraining && receives.untaken() > 0);
    }

    /** What must hold whenever nothing is on its way: the credits here, and those that the peer has in hand. */
    public EngineState state() {
        return new EngineState(
                credits.data(), credits.control(), credits.dataHeard(), credits.controlHeard(), sends.unread(),
                receives.untaken(), sizes.dataCredits(), sizes.controlCredits());
    }
}
