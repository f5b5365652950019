package io.vhca.physical.soft.engine.rc;

import io.vhca.api.AccessFlags;
import io.vhca.api.AsyncEventType;
import io.vhca.api.DeviceStep;
import io.vhca.physical.soft.engine.core.EngineCore;
import io.vhca.physical.soft.engine.core.NicCounter;
import io.vhca.physical.soft.engine.core.NicCounters;
import io.vhca.physical.soft.engine.memory.MemoryDomain;
import io.vhca.physical.soft.engine.port.PacketOutput;
import io.vhca.physical.soft.engine.qp.QpContext;
import io.vhca.physical.soft.engine.qp.QpSettings;
import io.vhca.physical.soft.wire.Syndrome;

/**
 * The sending half of an RC responder: sends READ responses and atomic results in order, then one acknowledgement or
 * NAK for everything that arrived meanwhile (IB spec vol. 1, 9.7.5.1). A message that requests no acknowledgement is
 * acknowledged with the next one, or {@link RcTransport#ACK_DELAY_NS} later, so that its sender does not take it for
 * lost. The engine's owner.
 */
final class ResponseSender {
    private static final int NOTHING = -1;

    private final EngineCore core;
    private final QpContext qp;
    private final QpSettings settings;
    private final MemoryDomain domain;
    private final ResponseWriter packets;
    private final NicCounters counters;
    private ResponseQueue owed = new ResponseQueue(0);
    /** The syndrome to send once nothing is owed, or NOTHING. */
    private int pending = NOTHING;
    /** A NAK of this gap or an RNR NAK was sent: no other one is until the expected packet comes. */
    private boolean isNakSent;
    /** A message was executed and not acknowledged yet. */
    private boolean isUnacknowledged;
    /**
     * The timer runs until it expires, also when everything was acknowledged before: setting it anew for each message
     * would cost more.
     */
    private boolean isTimerSet;

    private long acknowledgeNs;

    private long expected;
    private int msn;
    private int mtu;

    ResponseSender(final EngineCore core, final QpContext qp, final PacketOutput output) {
        this.core = core;
        this.qp = qp;
        packets = new ResponseWriter(output, qp);
        settings = qp.settings();
        domain = qp.domain();
        counters = core.counters();
    }

    void start(final long firstExpected) {
        owed = new ResponseQueue(qp.maxRdAtomic());
        mtu = settings.pathMtu().bytes();
        expected = firstExpected;
        msn = 0;
        clear();
    }

    void clear() {
        owed.clear();
        pending = NOTHING;
        isNakSent = false;
        isUnacknowledged = false;
        isTimerSet = false;
    }

    boolean isFull() {
        return owed.isFull();
    }

    boolean endsWithRead(final long sequence) {
        return owed.endsWithRead(sequence);
    }

    void oweRead(final long sequence, final long address, final long lengthBytes, final int key) {
        owed.addRead(sequence, address, lengthBytes, key);
    }

    void oweAtomic(final long sequence, final long original) {
        owed.addAtomic(sequence, original);
    }

    /** The expected packet was executed; {@code nextExpected} is what comes next. */
    void accepted(final long nextExpected, final boolean isMessageEnd, final boolean isAckRequested) {
        expected = nextExpected;
        isNakSent = false;
        if (isMessageEnd) {
            msn++;
        }
        if (isAckRequested || pending != NOTHING) {
            pending = Syndrome.ACK_UNLIMITED;
        } else if (isMessageEnd) {
            acknowledgeLater();
        }
    }

    private void acknowledgeLater() {
        isUnacknowledged = true;
        if (!isTimerSet) {
            isTimerSet = true;
            acknowledgeNs = core.nowNs() + RcTransport.ACK_DELAY_NS;
            qp.setTimer(acknowledgeNs);
        }
    }

    boolean hasDeadline() {
        return isTimerSet;
    }

    long deadlineNs() {
        return acknowledgeNs;
    }

    void onDeadline() {
        if (isTimerSet && core.nowNs() - acknowledgeNs >= 0) {
            isTimerSet = false;
            if (isUnacknowledged) {
                repeat();
            }
        }
    }

    /** A READ or an atomic was accepted: its answer acknowledges everything before it as well. */
    void acceptedWithAnswer(final long nextExpected) {
        expected = nextExpected;
        isNakSent = false;
        msn++;
        pending = NOTHING;
        isUnacknowledged = false;
    }

    /**
     * The queue pair ends: what was executed and not acknowledged yet is now, for nobody does it later, and its sender
     * would take it for lost. Not where an answer is owed, which would have to go first.
     */
    void last() {
        final boolean isDue = pending == NOTHING ? isUnacknowledged : Syndrome.isAck(pending);
        if (isDue && owed.isEmpty()) {
            pending = Syndrome.ACK_UNLIMITED;
            sendPending();
        }
    }

    /** Acknowledges again what was executed. */
    void repeat() {
        if (pending == NOTHING) {
            pending = Syndrome.ACK_UNLIMITED;
        }
    }

    /** A packet ahead of the expected one came. */
    void missing() {
        if (!isNakSent) {
            isNakSent = true;
            pending = Syndrome.NAK_PSN_SEQUENCE;
        }
    }

    /** The expected packet needs a receive and there is none. */
    void notReady() {
        isNakSent = true;
        pending = Syndrome.RNR_NAK | settings.minRnrTimer();
    }

    /** The expected packet is refused for good: {@link #run} sends this behind what is owed. */
    void refuse(final int syndrome) {
        pending = syndrome;
    }

    /** True when the budget ended before the work did. */
    boolean run(final int budget) {
        int left = budget;
        while (!owed.isEmpty()) {
            if (left-- == 0) {
                return true;
            }
            if (!answerOldest()) {
                return false;
            }
        }
        if (pending != NOTHING) {
            sendPending();
        }
        return false;
    }

    /** Sends one packet; false when the QP failed on it. */
    private boolean answerOldest() {
        final long sequence = owed.sequence();
        if (owed.isAtomic()) {
            packets.sendAtomic(sequence, owed.value(), msn);
            owed.removeFirst();
            return true;
        }
        final int part = (int) Math.min(mtu, owed.remaining());
        if (part > 0 && !domain.allows(owed.key(), owed.value(), part, AccessFlags.REMOTE_READ)) {
            expected = sequence;
            owed.clear();
            pending = Syndrome.NAK_REMOTE_ACCESS;
            sendPending();
            qp.enterError(AsyncEventType.QP_ACCESS_ERR, false);
            return false;
        }
        packets.sendRead(sequence, owed.isFirst(), owed.remaining() <= mtu, owed.value(), part, msn);
        owed.sent(part);
        return true;
    }

    private void sendPending() {
        final int syndrome = pending;
        assert syndrome != NOTHING : "there is nothing to send";
        pending = NOTHING;
        isUnacknowledged = false;
        final boolean isAck = Syndrome.isAck(syndrome);
        if (!isAck) {
            final boolean isRnr = Syndrome.isRnrNak(syndrome);
            counters.happened(
                    isRnr ? NicCounter.RNR_NAKS_SENT : NicCounter.NAKS_SENT,
                    isRnr ? DeviceStep.RNR_NAK_SENT : DeviceStep.NAK_SENT, qp.qpNum(), expected);
        }
        packets.sendAcknowledge(isAck ? expected - 1 : expected, syndrome, msn);
    }
}
