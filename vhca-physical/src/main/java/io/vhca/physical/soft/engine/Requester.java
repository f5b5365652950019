package io.vhca.physical.soft.engine;

import io.vhca.api.AccessFlags;
import io.vhca.api.AsyncEvent;
import io.vhca.api.AsyncEventType;
import io.vhca.api.Gid;
import io.vhca.api.NativeMemory;
import io.vhca.api.QpState;
import io.vhca.api.SendFlags;
import io.vhca.api.SendWrDescriptor;
import io.vhca.api.WcStatus;
import io.vhca.api.WrOpcode;
import io.vhca.api.cm.ConnectParameters;
import io.vhca.physical.soft.wire.AtomicEthDescriptor;
import io.vhca.physical.soft.wire.BthDescriptor;
import io.vhca.physical.soft.wire.ImmDtDescriptor;
import io.vhca.physical.soft.wire.Opcodes;
import io.vhca.physical.soft.wire.Psn;
import io.vhca.physical.soft.wire.RethDescriptor;

/**
 * The sending half of an RC requester: turns WQEs into request packets and sends them again when it must (IB spec vol.
 * 1, 9.7.2 and 9.7.3).
 *
 * <pre>
 *   unacked <= next to send <= sent <= next new        sequences: 64 bits, cut to 24 on the wire
 *   |  in flight      |  lost?  |  numbered, not sent
 * </pre>
 *
 * <p>Go-back-N: {@link #rewind} sets next-to-send back to unacked; everything else follows from the sequence. A READ
 * takes the sequences of its response packets and is asked for in chunks, so that no window is exceeded and a restart
 * in its middle is nothing special.
 */
final class Requester {
    private static final long NEVER_REWOUND = Long.MIN_VALUE;
    private static final long TIMEOUT_UNIT_PS = 4_096_000;
    private static final Path NOWHERE = new Path(new Gid(0, 0), -1, 0);

    private final SoftQp qp;
    private final SoftNic nic;
    private final SendQueue sends;
    private final PacketOutput output;
    private final NicCounters counters;

    private Path path = NOWHERE;
    private int destQp;
    private int mtu;
    private int window;
    private int chunk;
    private int ackInterval;

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
    private long rewoundAt = NEVER_REWOUND;
    private int retriesLeft;
    private int rnrRetriesLeft;
    private boolean isAckTimerSet;
    private long ackDeadlineNs;
    private boolean isRnrWaiting;
    private long rnrDeadlineNs;
    private boolean isDrainReported;
    private boolean isStalled;

    Requester(final SoftQp qp) {
        this.qp = qp;
        nic = qp.nic;
        sends = qp.sends;
        output = nic.output();
        counters = nic.counters();
    }

    /** RTR to RTS. */
    void start() {
        final QpSettings settings = qp.settings;
        final Path peer = settings.path();
        path = peer != null ? peer : NOWHERE;
        destQp = settings.destQpNum;
        mtu = settings.pathMtu.bytes();
        final SoftNicConfig config = nic.config();
        window = Math.max(1, Math.min(config.windowPackets(), config.windowBytes() / mtu));
        chunk = Math.max(1, Math.min(config.readChunkPackets(), window));
        ackInterval = Math.max(1, window / 4);
        unacked = settings.sqPsn;
        nextToSend = unacked;
        sent = unacked;
        nextNew = unacked;
        sendIndex = sends.consumer();
        newIndex = sendIndex;
        stop();
        isStalled = false;
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

    /** No timer, nothing under way. */
    void stop() {
        isAckTimerSet = false;
        isRnrWaiting = false;
        responsesInFlight = 0;
        rewoundAt = NEVER_REWOUND;
        nic.deadline().disarmed();
    }

    private void resetRetries() {
        retriesLeft = qp.settings.retryCnt;
        rnrRetriesLeft = qp.settings.rnrRetry;
    }

    // Sending.

    /** True when the budget ended before the work did. */
    boolean run(final int budget) {
        final QpState state = qp.state();
        if (state != QpState.RTS && state != QpState.SQD || isRnrWaiting || isStalled) {
            return false;
        }
        if (state == QpState.RTS) {
            isDrainReported = false;
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
                reportDrained();
                return false;
            }
            if (newIndex == sends.producer() || !begin(sends.address(newIndex))) {
                return false;
            }
        }
        final long wqe = sends.address(sendIndex);
        final int opcode = SendWqeDescriptor.opcode(wqe);
        final boolean wasSent;
        if (opcode == WrOpcode.RDMA_READ.code()) {
            wasSent = sendRead(wqe);
        } else if (SendWqeDescriptor.isAtomic(opcode)) {
            wasSent = sendAtomic(wqe, opcode);
        } else {
            wasSent = sendData(wqe, opcode);
        }
        if (wasSent && nextToSend > SendWqeDescriptor.last(wqe)) {
            sendIndex++;
        }
        return wasSent;
    }

    private void reportDrained() {
        if (!isDrainReported && sends.consumer() == newIndex) {
            isDrainReported = true;
            if (qp.settings.isDrainNotified) {
                nic.raise(AsyncEvent.ofQp(AsyncEventType.SQ_DRAINED, qp));
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
        if (lengthBytes > nic.config().maxMessageBytes()
                || SendWqeDescriptor.isAtomic(opcode) && lengthBytes != Long.BYTES) {
            return WcStatus.LOC_LEN_ERR;
        }
        final boolean needsResponse = SendWqeDescriptor.needsResponse(wqe);
        if (needsResponse && qp.settings.maxRdAtomic == 0) {
            return WcStatus.LOC_QP_OP_ERR;
        }
        final boolean isAllowed = SendWqeDescriptor.isInline(wqe)
                || qp.allowsAll(
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

    private boolean sendData(final long wqe, final int wrOpcode) {
        final long inFlight = nextToSend - unacked;
        if (inFlight >= window) {
            return false;
        }
        final boolean isFirst = nextToSend == SendWqeDescriptor.first(wqe);
        final boolean isLast = nextToSend == SendWqeDescriptor.last(wqe);
        final long offset = (nextToSend - SendWqeDescriptor.first(wqe)) * mtu;
        final long lengthBytes = SendWqeDescriptor.length(wqe);
        final int part = (int) Math.min(mtu, lengthBytes - offset);
        final int opcode = dataOpcode(wrOpcode, isFirst, isLast);
        final int headerBytes = Opcodes.headerBytes(opcode);
        final int flags = Opcodes.flags(opcode);
        final long packet = output.buffer();
        if (!gather(wqe, offset, packet + headerBytes, part)) {
            return refuse(WcStatus.LOC_PROT_ERR);
        }
        final boolean isAckRequested = isLast && (sends.isSignaled(wqe) || nextToSend < sent)
                || ++sinceAckRequest >= ackInterval
                || inFlight + 1 >= window;
        final boolean isSolicited = isLast && SendWqeDescriptor.hasFlag(wqe, SendFlags.SOLICITED);
        BthDescriptor.write(
                packet, opcode, isSolicited, PacketOutput.pad(part), destQp, isAckRequested, Psn.of(nextToSend));
        if (isAckRequested) {
            sinceAckRequest = 0;
        }
        if ((flags & Opcodes.HAS_RETH) != 0) {
            RethDescriptor.write(
                    packet + BthDescriptor.SIZE,
                    NativeMemory.getLong(wqe + SendWrDescriptor.RDMA_REMOTE_ADDR_OFFSET),
                    NativeMemory.getInt(wqe + SendWrDescriptor.RDMA_RKEY_OFFSET),
                    (int) lengthBytes);
        }
        if ((flags & Opcodes.HAS_IMM) != 0) {
            NativeMemory.putInt(packet + headerBytes - ImmDtDescriptor.SIZE, SendWqeDescriptor.rawImmediate(wqe));
        }
        sent(headerBytes, part, 1);
        return true;
    }

    private static int dataOpcode(final int wrOpcode, final boolean isFirst, final boolean isLast) {
        final boolean isWrite =
                wrOpcode == WrOpcode.RDMA_WRITE.code() || wrOpcode == WrOpcode.RDMA_WRITE_WITH_IMM.code();
        final int base = isWrite ? Opcodes.RC_WRITE_FIRST : Opcodes.RC_SEND_FIRST;
        if (!isLast) {
            return base + (isFirst ? 0 : Opcodes.RC_SEND_MIDDLE);
        }
        final boolean hasImmediate =
                wrOpcode == WrOpcode.SEND_WITH_IMM.code() || wrOpcode == WrOpcode.RDMA_WRITE_WITH_IMM.code();
        return base + (isFirst ? Opcodes.RC_SEND_ONLY : Opcodes.RC_SEND_LAST) + (hasImmediate ? 1 : 0);
    }

    private boolean gather(final long wqe, final long offset, final long to, final int lengthBytes) {
        if (SendWqeDescriptor.isInline(wqe)) {
            NativeMemory.copy(wqe + SendWqeDescriptor.DATA_OFFSET + offset, to, lengthBytes);
            return true;
        }
        return qp.copy(
                SendWqeDescriptor.sge(wqe, 0), SendWqeDescriptor.numSge(wqe), offset, to, lengthBytes, 0, false);
    }

    /** Asks for the response packets from {@link #nextToSend} to the end of their chunk. */
    private boolean sendRead(final long wqe) {
        final long first = SendWqeDescriptor.first(wqe);
        final long position = nextToSend - first;
        final long end = Math.min(first + (position / chunk + 1) * chunk, SendWqeDescriptor.last(wqe) + 1);
        final int packets = (int) (end - nextToSend);
        final long inFlight = nextToSend - unacked;
        if (responsesInFlight >= qp.settings.maxRdAtomic || inFlight > 0 && inFlight + packets > window) {
            return false;
        }
        final long offset = position * mtu;
        final long asked = Math.min((long) packets * mtu, SendWqeDescriptor.length(wqe) - offset);
        final long packet = output.buffer();
        BthDescriptor.write(packet, Opcodes.RC_READ_REQUEST, false, 0, destQp, false, Psn.of(nextToSend));
        RethDescriptor.write(
                packet + BthDescriptor.SIZE,
                NativeMemory.getLong(wqe + SendWrDescriptor.RDMA_REMOTE_ADDR_OFFSET) + offset,
                NativeMemory.getInt(wqe + SendWrDescriptor.RDMA_RKEY_OFFSET),
                (int) asked);
        responsesInFlight++;
        sent(Opcodes.headerBytes(Opcodes.RC_READ_REQUEST), 0, packets);
        return true;
    }

    private boolean sendAtomic(final long wqe, final int wrOpcode) {
        if (responsesInFlight >= qp.settings.maxRdAtomic || nextToSend - unacked >= window) {
            return false;
        }
        final boolean isAdd = wrOpcode == WrOpcode.ATOMIC_FETCH_AND_ADD.code();
        final int opcode = isAdd ? Opcodes.RC_FETCH_ADD : Opcodes.RC_COMPARE_SWAP;
        final long compareAdd = NativeMemory.getLong(wqe + SendWrDescriptor.ATOMIC_COMPARE_ADD_OFFSET);
        final long packet = output.buffer();
        BthDescriptor.write(packet, opcode, false, 0, destQp, false, Psn.of(nextToSend));
        AtomicEthDescriptor.write(
                packet + BthDescriptor.SIZE,
                NativeMemory.getLong(wqe + SendWrDescriptor.ATOMIC_REMOTE_ADDR_OFFSET),
                NativeMemory.getInt(wqe + SendWrDescriptor.ATOMIC_RKEY_OFFSET),
                isAdd ? compareAdd : NativeMemory.getLong(wqe + SendWrDescriptor.ATOMIC_SWAP_OFFSET),
                isAdd ? 0 : compareAdd);
        responsesInFlight++;
        sent(Opcodes.headerBytes(opcode), 0, 1);
        return true;
    }

    private void sent(final int headerBytes, final int payloadBytes, final int sequences) {
        if (nextToSend < sent) {
            counters.increment(NicCounter.RETRANSMITS);
        }
        output.send(path, headerBytes, payloadBytes);
        nextToSend += sequences;
        sent = Math.max(sent, nextToSend);
        if (!isAckTimerSet) {
            setAckTimer();
        }
    }

    // What the completer tells.

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

    /** Something new was acknowledged: the counters of patience start again. */
    void progressed() {
        resetRetries();
        rewoundAt = NEVER_REWOUND;
        isRnrWaiting = false;
        if (nextToSend < unacked) {
            nextToSend = unacked;
            sendIndex = locate(unacked);
        }
        if (unacked < sent) {
            setAckTimer();
        } else {
            clearAckTimer();
        }
        nic.schedule(qp);
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
        if (qp.settings.rnrRetry != ConnectParameters.ENDLESS_RNR_RETRY) {
            rnrRetriesLeft--;
        }
        rewind();
        clearAckTimer();
        isRnrWaiting = true;
        rnrDeadlineNs = nic.nowNs() + waitNs;
        nic.deadline().armed(rnrDeadlineNs);
    }

    private void rewind() {
        nextToSend = unacked;
        sendIndex = locate(unacked);
        responsesInFlight = 0;
        rewoundAt = unacked;
        nic.schedule(qp);
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
        final int timeout = qp.settings.timeout;
        if (timeout != 0) {
            isAckTimerSet = true;
            ackDeadlineNs = nic.nowNs() + (TIMEOUT_UNIT_PS << timeout) / 1_000;
            nic.deadline().armed(ackDeadlineNs);
        }
    }

    private void clearAckTimer() {
        if (isAckTimerSet) {
            isAckTimerSet = false;
            nic.deadline().disarmed();
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
        final long now = nic.nowNs();
        if (isRnrWaiting) {
            if (now - rnrDeadlineNs >= 0) {
                isRnrWaiting = false;
            }
            return;
        }
        if (isAckTimerSet && now - ackDeadlineNs >= 0) {
            isAckTimerSet = false;
            counters.increment(NicCounter.TIMEOUTS);
            if (retriesLeft == 0) {
                qp.failSend(WcStatus.RETRY_EXC_ERR);
                return;
            }
            retriesLeft--;
            rewind();
        }
    }
}
