package io.vhca.physical.soft.engine.rc;

import io.vhca.api.AccessFlags;
import io.vhca.api.AsyncEventType;
import io.vhca.api.DeviceStep;
import io.vhca.api.QpState;
import io.vhca.api.SendFlags;
import io.vhca.api.ServiceClass;
import io.vhca.api.WcStatus;
import io.vhca.api.WrOpcode;
import io.vhca.api.cm.ConnectParameters;
import io.vhca.physical.soft.engine.core.EngineCore;
import io.vhca.physical.soft.engine.core.NicCounter;
import io.vhca.physical.soft.engine.core.NicCounters;
import io.vhca.physical.soft.engine.core.SoftNicConfig;
import io.vhca.physical.soft.engine.memory.MemoryDomain;
import io.vhca.physical.soft.engine.qp.QpContext;
import io.vhca.physical.soft.engine.qp.QpSettings;
import io.vhca.physical.soft.engine.queue.SendQueue;
import io.vhca.physical.soft.engine.queue.SendWqeDescriptor;

/**
 * The sending half of an RC requester: decides which request packet goes out next, and what goes out again (IB spec
 * vol. 1, 9.7.2 and 9.7.3). {@link RequestWriter} writes the packets, {@link Completer} takes what comes back.
 *
 * <pre>
 *   unacked <= next to send <= sent <= next new        sequences: 64 bits, cut to 24 on the wire
 *   |  in flight      |  lost?  |  numbered, not sent
 * </pre>
 *
 * <p>Go-back-N: {@link #rewind} sets next-to-send back to unacked; everything else follows from the sequence. A READ
 * takes the sequences of its response packets. It is requested in chunks, so that no window is exceeded, and going back
 * into its middle needs no code of its own.
 */
final class Requester {
    private static final long NEVER_REWOUND = Long.MIN_VALUE;
    private static final long TIMEOUT_UNIT_PS = 4_096_000;

    /** Of a local ack timeout: 2.1 ms, hardly more than {@link RcTransport#ACK_DELAY_NS}. */
    private static final int SHORT_TIMEOUT = 9;

    private final EngineCore core;
    private final QpContext qp;
    private final QpSettings settings;
    private final SendQueue sends;
    private final MemoryDomain domain;
    private final RequestWriter packets;
    private final NicCounters counters;
    private final long maxMessageBytes;

    private final CongestionWindow congestion = new CongestionWindow();

    private int mtu;
    /** Packets in flight at most: {@link #fullWindow}, or less after congestion. */
    private int window;

    private int fullWindow;
    private int chunk;
    private int ackInterval;
    /** The port has a rate. */
    private boolean isPaced;
    /** Each message asks for an acknowledgement: put off, it may come when the queue pair has failed. */
    private boolean isImpatient;

    private long unacked;
    private long nextToSend;
    private long sent;
    private long nextNew;
    /** Index of the WQE that {@link #nextToSend} belongs to. */
    private long sendIndex;
    /** Index of the first WQE without sequences. */
    private long newIndex;
    /** Requests under way that are done by a response. */
    private int responsesInFlight;

    private int sinceAckRequest;
    /** A signaled message left since an acknowledgement was asked for. */
    private boolean isCompletionDue;
    private long rewoundAt = NEVER_REWOUND;
    private int retriesLeft;
    private int rnrRetriesLeft;
    private boolean isAckTimerSet;
    private long ackDeadlineNs;
    private boolean isRnrWaiting;
    private long rnrDeadlineNs;
    private boolean isDrainReported;
    private boolean isStalled;

    Requester(final EngineCore core, final QpContext qp, final RequestWriter packets) {
        this.core = core;
        this.qp = qp;
        this.packets = packets;
        settings = qp.settings();
        sends = qp.sends();
        domain = qp.domain();
        counters = core.counters();
        maxMessageBytes = qp.maxMessageBytes();
    }

    /** RTR to RTS. */
    void start() {
        packets.start();
        mtu = settings.pathMtu().bytes();
        final SoftNicConfig config = core.config();
        window = Math.max(1, Math.min(config.windowPackets(), config.windowBytes() / mtu));
        fullWindow = window;
        congestion.start(window);
        chunk = Math.max(1, Math.min(config.readChunkPackets(), window));
        ackInterval = Math.max(1, window / 4);
        isPaced = config.rateMbps() > 0;
        unacked = settings.sqPsn();
        nextToSend = unacked;
        sent = unacked;
        nextNew = unacked;
        sendIndex = sends.consumer();
        newIndex = sendIndex;
        stop();
        isStalled = false;
        resume();
    }

    /** RTR or SQD to RTS: what was set of timeout and retries counts from now on. */
    void resume() {
        isImpatient = settings.timeout() != 0
                && (settings.timeout() <= SHORT_TIMEOUT || settings.retryCnt() == 0);
        resetRetries();
    }

    /** Hangs for good: nothing is sent, times out or completes any more, not even in ERR. Until the next start. */
    void stall() {
        stop();
        isStalled = true;
    }

    boolean isStalled() {
        return isStalled;
    }

    /** True while the last packet that was sent asks for an acknowledgement that has not come. Any thread; racy. */
    boolean expectsAnswer() {
        return unacked < sent && sinceAckRequest == 0;
    }

    /** No timer, nothing under way. */
    void stop() {
        isAckTimerSet = false;
        isRnrWaiting = false;
        isCompletionDue = false;
        responsesInFlight = 0;
        rewoundAt = NEVER_REWOUND;
    }

    private void resetRetries() {
        retriesLeft = settings.retryCnt();
        rnrRetriesLeft = settings.rnrRetry();
    }

    /** The queue pair's state is another one: one that drains again says so again, also without a turn in RTS. */
    void onState() {
        isDrainReported = false;
    }

    // Sending.

    /** True when the budget ended before the work did. */
    boolean run(final int budget) {
        if (!qp.isSending() || isRnrWaiting || isStalled) {
            return false;
        }
        for (int i = 0; i < budget; i++) {
            if (!step()) {
                return false;
            }
        }
        return true;
    }

    /** Sends one packet; false when none may be sent now. */
    private boolean step() {
        if (sendIndex == newIndex) {
            if (qp.state() != QpState.RTS) {
                if (!goesBackToAsk()) {
                    reportDrained();
                    return false;
                }
            } else if (newIndex == sends.producer() || !begin(sends.address(newIndex))) {
                return false;
            }
        }
        final long wqe = sends.address(sendIndex);
        final int opcode = SendWqeDescriptor.opcode(wqe);
        final boolean wasSent;
        if (opcode == WrOpcode.RDMA_READ.code()) {
            wasSent = sendRead(wqe);
        } else if (SendWqeDescriptor.isAtomic(opcode)) {
            wasSent = sendAtomic(wqe);
        } else {
            wasSent = sendData(wqe);
        }
        if (wasSent && nextToSend > SendWqeDescriptor.last(wqe)) {
            sendIndex++;
        }
        return wasSent;
    }

    /**
     * A send queue that drains sends nothing behind the last message that would ask for it, and a peer that answers
     * only who asks never tells that it has it: goes back to its last packet, which asks now. False when the answer is
     * on its way.
     */
    private boolean goesBackToAsk() {
        if (unacked == sent || sinceAckRequest == 0) {
            return false;
        }
        assert nextToSend == sent : "a send queue drains before all has left";
        final long last = locate(sent - 1);
        if (SendWqeDescriptor.needsResponse(sends.address(last))) {
            return false;
        }
        nextToSend = sent - 1;
        sendIndex = last;
        return true;
    }

    private void reportDrained() {
        if (!isDrainReported && sends.consumer() == newIndex) {
            isDrainReported = true;
            if (settings.isDrainNotified()) {
                qp.raise(AsyncEventType.SQ_DRAINED);
            }
        }
    }

    /** Numbers the packets of a new WQE; false when it must wait or has failed. */
    private boolean begin(final long wqe) {
        if (responsesInFlight > 0 && SendWqeDescriptor.hasFlag(wqe, SendFlags.FENCE)) {
            return false;
        }
        final WcStatus fault = judge(wqe);
        if (fault != WcStatus.SUCCESS) {
            return refuse(fault);
        }
        final long packets = Math.max(1, (SendWqeDescriptor.length(wqe) + mtu - 1) / mtu);
        SendWqeDescriptor.sequences(wqe, nextNew, nextNew + packets - 1);
        nextNew += packets;
        newIndex++;
        return true;
    }

    private WcStatus judge(final long wqe) {
        final long lengthBytes = SendWqeDescriptor.length(wqe);
        final int opcode = SendWqeDescriptor.opcode(wqe);
        if (lengthBytes > maxMessageBytes
                || SendWqeDescriptor.isAtomic(opcode) && lengthBytes != Long.BYTES) {
            return WcStatus.LOC_LEN_ERR;
        }
        final boolean needsResponse = SendWqeDescriptor.needsResponse(wqe);
        if (needsResponse && settings.maxRdAtomic() == 0) {
            return WcStatus.LOC_QP_OP_ERR;
        }
        final boolean isAllowed = SendWqeDescriptor.isInline(wqe)
                || domain.allowsAll(
                        SendWqeDescriptor.sge(wqe, 0),
                        SendWqeDescriptor.numSge(wqe),
                        needsResponse ? AccessFlags.LOCAL_WRITE : 0);
        return isAllowed ? WcStatus.SUCCESS : WcStatus.LOC_PROT_ERR;
    }

    /** Fails the WQE at {@link #sendIndex} once those before it are done; always false. */
    private boolean refuse(final WcStatus status) {
        if (sends.consumer() == sendIndex) {
            qp.failSend(status);
        }
        return false;
    }

    private boolean sendData(final long wqe) {
        final long inFlight = nextToSend - unacked;
        if (inFlight >= window && inFlight >= limit()) {
            return false;
        }
        final boolean isLast = nextToSend == SendWqeDescriptor.last(wqe);
        isCompletionDue |= isLast && (isImpatient || sends.isSignaled(wqe));
        final boolean isAckRequested = isLast && (nextToSend < sent || isCompletionDue && !isFollowed())
                || sinceAckRequest + 1 >= ackInterval
                || inFlight + 1 >= window;
        if (!packets.sendData(wqe, nextToSend, isAckRequested)) {
            return refuse(WcStatus.LOC_PROT_ERR);
        }
        sinceAckRequest = isAckRequested ? 0 : sinceAckRequest + 1;
        isCompletionDue &= !isAckRequested;
        sent(1);
        return true;
    }

    /**
     * True when another SEND or WRITE leaves right behind the one at {@link #sendIndex}: the last of a run asks for all
     * of them. A peer that answers each message as it comes wakes this end for one message at a time, and what follows
     * is sent one by one. A port with a rate sends later what follows, so nothing waits for it there. One that is
     * refused asks for nobody.
     */
    private boolean isFollowed() {
        final long next = sendIndex + 1;
        return !isPaced
                && next != sends.producer()
                && qp.state() == QpState.RTS
                && SendWqeDescriptor.waitsForNone(sends.address(next))
                && judge(sends.address(next)) == WcStatus.SUCCESS;
    }

    /** Requests the response packets from {@link #nextToSend} to the end of their chunk. */
    private boolean sendRead(final long wqe) {
        final long first = SendWqeDescriptor.first(wqe);
        final long position = nextToSend - first;
        final long end = Math.min(first + (position / chunk + 1) * chunk, SendWqeDescriptor.last(wqe) + 1);
        final int responses = (int) (end - nextToSend);
        final long inFlight = nextToSend - unacked;
        if (responsesInFlight >= settings.maxRdAtomic() || inFlight > 0 && inFlight + responses > limit()) {
            return false;
        }
        final long offset = position * mtu;
        final long requested = Math.min((long) responses * mtu, SendWqeDescriptor.length(wqe) - offset);
        packets.sendRead(wqe, nextToSend, offset, requested);
        responsesInFlight++;
        sent(responses);
        return true;
    }

    private boolean sendAtomic(final long wqe) {
        if (responsesInFlight >= settings.maxRdAtomic() || nextToSend - unacked >= limit()) {
            return false;
        }
        packets.sendAtomic(wqe, nextToSend);
        responsesInFlight++;
        sent(1);
        return true;
    }

    private void sent(final int sequences) {
        if (nextToSend < sent) {
            counters.happened(NicCounter.RETRANSMITS, DeviceStep.RETRANSMIT, qp.qpNum(), nextToSend);
        }
        nextToSend += sequences;
        sent = Math.max(sent, nextToSend);
        assert unacked < nextToSend && nextToSend <= sent && sent <= nextNew : "sequences are out of order";
        if (!isAckTimerSet) {
            setAckTimer();
        }
    }

    /**
     * The window that holds now. Packets are under way whose acknowledgement nobody asked for: then a smaller one waits
     * for a packet that does.
     */
    private int limit() {
        return sinceAckRequest == 0 ? window : fullWindow;
    }

    /** The peer told of congestion, or sent what went through it: less is in flight, where the class asks for that. */
    void slowDown() {
        if (qp.isSending() && ServiceClass.isMarkable(settings.trafficClass())) {
            window = congestion.cut(core.nowNs());
        }
    }

    // Called by the completer.

    long unacked() {
        return unacked;
    }

    /** One behind the last sequence that was sent. */
    long sent() {
        return sent;
    }

    int mtu() {
        return mtu;
    }

    /** The peer has everything before {@code sequence}. The caller completes WQEs and calls {@link #progressed}. */
    void acknowledged(final long sequence) {
        assert unacked <= sequence && sequence <= sent : "acknowledged what was not sent";
        unacked = sequence;
    }

    /** A response of the WQE came that moved {@link #unacked} on: a request may be done with it. */
    void responded(final long wqe) {
        final boolean isRequestDone = unacked > SendWqeDescriptor.last(wqe)
                || (unacked - SendWqeDescriptor.first(wqe)) % chunk == 0;
        if (isRequestDone && responsesInFlight > 0) {
            responsesInFlight--;
        }
    }

    /** Something new was acknowledged: all retries are left again. */
    void progressed() {
        resetRetries();
        if (window < fullWindow) {
            window = congestion.recover(core.nowNs());
        }
        rewoundAt = NEVER_REWOUND;
        isRnrWaiting = false;
        if (nextToSend < unacked) {
            nextToSend = unacked;
            sendIndex = locate(unacked);
        }
        if (unacked < sent) {
            setAckTimer();
        } else {
            isAckTimerSet = false;
        }
        qp.schedule();
    }

    /** The peer misses {@link #unacked}: goes back to it, once until there is progress or a timeout. */
    void missing() {
        if (rewoundAt != unacked) {
            rewind();
        }
    }

    /** The peer has no receive for {@link #unacked}: wait so long, then send it again. */
    void notReady(final long waitNs) {
        if (isRnrWaiting) {
            return;
        }
        if (rnrRetriesLeft == 0) {
            qp.failSend(WcStatus.RNR_RETRY_EXC_ERR);
            return;
        }
        if (settings.rnrRetry() != ConnectParameters.ENDLESS_RNR_RETRY) {
            rnrRetriesLeft--;
        }
        rewind();
        isAckTimerSet = false;
        isRnrWaiting = true;
        rnrDeadlineNs = core.nowNs() + waitNs;
        qp.setTimer(rnrDeadlineNs);
    }

    private void rewind() {
        nextToSend = unacked;
        sendIndex = locate(unacked);
        responsesInFlight = 0;
        rewoundAt = unacked;
        qp.schedule();
    }

    private long locate(final long sequence) {
        long index = sends.consumer();
        while (index < newIndex && SendWqeDescriptor.last(sends.address(index)) < sequence) {
            index++;
        }
        return index;
    }

    // Timers.

    private void setAckTimer() {
        final int timeout = settings.timeout();
        if (timeout != 0) {
            isAckTimerSet = true;
            ackDeadlineNs = core.nowNs() + (TIMEOUT_UNIT_PS << timeout) / 1_000;
            qp.setTimer(ackDeadlineNs);
        }
    }

    boolean hasDeadline() {
        return isAckTimerSet || isRnrWaiting;
    }

    /** Never both at once: while it waits for the receiver nothing is in flight. */
    long deadlineNs() {
        return isRnrWaiting ? rnrDeadlineNs : ackDeadlineNs;
    }

    void onDeadline() {
        final long now = core.nowNs();
        if (isRnrWaiting) {
            if (now - rnrDeadlineNs >= 0) {
                isRnrWaiting = false;
            }
            return;
        }
        if (isAckTimerSet && now - ackDeadlineNs >= 0) {
            isAckTimerSet = false;
            counters.happened(NicCounter.TIMEOUTS, DeviceStep.TIMEOUT, qp.qpNum(), unacked);
            if (retriesLeft == 0) {
                qp.failSend(WcStatus.RETRY_EXC_ERR);
                return;
            }
            retriesLeft--;
            rewind();
        }
    }
}
