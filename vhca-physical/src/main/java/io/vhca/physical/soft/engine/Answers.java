package io.vhca.physical.soft.engine;

import io.vhca.api.AccessFlags;
import io.vhca.api.AsyncEventType;
import io.vhca.api.NativeMemory;
import io.vhca.physical.soft.wire.AethDescriptor;
import io.vhca.physical.soft.wire.AtomicAckEthDescriptor;
import io.vhca.physical.soft.wire.BthDescriptor;
import io.vhca.physical.soft.wire.Opcodes;
import io.vhca.physical.soft.wire.Psn;
import io.vhca.physical.soft.wire.Syndrome;

/**
 * The sending half of an RC responder: READ responses and atomic results in order, then one acknowledgement or NAK for
 * all that came meanwhile (IB spec vol. 1, 9.7.5.1). A message that asks for no acknowledgement is told of with the
 * next one, after {@value #ACK_DELAY_NS} ns at the latest: its sender must not take it for lost.
 */
final class Answers {
    /** Less than any local ack timeout from 9 on. */
    static final long ACK_DELAY_NS = 2_000_000;

    private static final int NOTHING = -1;

    private final SoftQp qp;
    private final SoftNic nic;
    private final PacketOutput output;
    private final NicCounters counters;
    private ResponseQueue owed = new ResponseQueue(0);
    /** The syndrome to send once nothing is owed, or NOTHING. */
    private int pending = NOTHING;
    /** A NAK of this gap was sent, or an RNR NAK: silence until the expected packet comes. */
    private boolean isNakSent;
    /** A message was executed that no acknowledgement tells of yet. */
    private boolean isUntold;
    /** Set until it comes due, even when all is told before that: arming it for each message would cost more. */
    private boolean isDelayed;

    private long tellNs;

    private long expected;
    private int msn;
    private int mtu;

    Answers(final SoftQp qp) {
        this.qp = qp;
        nic = qp.nic;
        output = nic.output();
        counters = nic.counters();
    }

    void start(final long firstExpected) {
        owed = new ResponseQueue(qp.settings.maxDestRdAtomic);
        mtu = qp.settings.pathMtu.bytes();
        expected = firstExpected;
        msn = 0;
        clear();
    }

    void clear() {
        owed.clear();
        pending = NOTHING;
        isNakSent = false;
        isUntold = false;
        if (isDelayed) {
            isDelayed = false;
            nic.deadline().disarmed();
        }
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
            tellLater();
        }
    }

    private void tellLater() {
        isUntold = true;
        if (!isDelayed) {
            isDelayed = true;
            tellNs = nic.nowNs() + ACK_DELAY_NS;
            nic.deadline().armed(tellNs);
        }
    }

    boolean hasDeadline() {
        return isDelayed;
    }

    long deadlineNs() {
        return tellNs;
    }

    void onDeadline() {
        if (isDelayed && nic.nowNs() - tellNs >= 0) {
            isDelayed = false;
            if (isUntold) {
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
        isUntold = false;
    }

    /** Says how far all is well. */
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
        pending = Syndrome.RNR_NAK | qp.settings.minRnrTimer;
    }

    /** The expected packet is refused for good: sends what is owed and then this, at once. */
    void refuse(final int syndrome) {
        while (!owed.isEmpty()) {
            if (!answerOldest()) {
                return;
            }
        }
        pending = syndrome;
        sendPending();
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
        final long packet = output.buffer();
        final long aeth = packet + BthDescriptor.SIZE;
        final int psn = Psn.of(owed.sequence());
        if (owed.isAtomic()) {
            BthDescriptor.write(packet, Opcodes.RC_ATOMIC_ACKNOWLEDGE, false, 0, qp.settings.destQpNum, false, psn);
            AethDescriptor.write(aeth, Syndrome.ACK_UNLIMITED, msn);
            AtomicAckEthDescriptor.write(aeth + AethDescriptor.SIZE, owed.value());
            owed.removeFirst();
            send(Opcodes.headerBytes(Opcodes.RC_ATOMIC_ACKNOWLEDGE), 0);
            return true;
        }
        final int part = (int) Math.min(mtu, owed.remaining());
        if (part > 0 && !nic.keys().allows(owed.key(), qp.pd(), owed.value(), part, AccessFlags.REMOTE_READ)) {
            expected = owed.sequence();
            owed.clear();
            pending = Syndrome.NAK_REMOTE_ACCESS;
            sendPending();
            qp.enterError(AsyncEventType.QP_ACCESS_ERR, false);
            return false;
        }
        final int opcode = readOpcode(owed.isFirst(), owed.remaining() <= mtu);
        final int headerBytes = Opcodes.headerBytes(opcode);
        BthDescriptor.write(packet, opcode, false, PacketOutput.pad(part), qp.settings.destQpNum, false, psn);
        if ((Opcodes.flags(opcode) & Opcodes.HAS_AETH) != 0) {
            AethDescriptor.write(aeth, Syndrome.ACK_UNLIMITED, msn);
        }
        NativeMemory.copy(owed.value(), packet + headerBytes, part);
        owed.sent(part);
        send(headerBytes, part);
        return true;
    }

    private static int readOpcode(final boolean isFirst, final boolean isLast) {
        if (isFirst) {
            return isLast ? Opcodes.RC_READ_RESPONSE_ONLY : Opcodes.RC_READ_RESPONSE_FIRST;
        }
        return isLast ? Opcodes.RC_READ_RESPONSE_LAST : Opcodes.RC_READ_RESPONSE_MIDDLE;
    }

    private void sendPending() {
        final int syndrome = pending;
        pending = NOTHING;
        isUntold = false;
        final boolean isAck = Syndrome.isAck(syndrome);
        if (!isAck) {
            counters.increment(Syndrome.isRnrNak(syndrome) ? NicCounter.RNR_NAKS_SENT : NicCounter.NAKS_SENT);
        }
        final long packet = output.buffer();
        final int psn = Psn.of(isAck ? expected - 1 : expected);
        BthDescriptor.write(packet, Opcodes.RC_ACKNOWLEDGE, false, 0, qp.settings.destQpNum, false, psn);
        AethDescriptor.write(packet + BthDescriptor.SIZE, syndrome, msn);
        send(Opcodes.headerBytes(Opcodes.RC_ACKNOWLEDGE), 0);
    }

    private void send(final int headerBytes, final int payloadBytes) {
        final Path path = qp.settings.path();
        if (path != null) {
            output.send(path, headerBytes, payloadBytes);
        }
    }
}
