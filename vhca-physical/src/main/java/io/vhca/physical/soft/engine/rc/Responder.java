package io.vhca.physical.soft.engine.rc;

import io.vhca.api.AccessFlags;
import io.vhca.api.AsyncEventType;
import io.vhca.api.DeviceStep;
import io.vhca.api.NativeMemory;
import io.vhca.api.QpState;
import io.vhca.api.WcFlags;
import io.vhca.api.WcOpcode;
import io.vhca.api.WcStatus;
import io.vhca.physical.soft.engine.core.NicCounter;
import io.vhca.physical.soft.engine.core.NicCounters;
import io.vhca.physical.soft.engine.qp.QpContext;
import io.vhca.physical.soft.engine.qp.QpSettings;
import io.vhca.physical.soft.engine.queue.HeldReceive;
import io.vhca.physical.soft.wire.Opcodes;
import io.vhca.physical.soft.wire.PacketFlyweight;
import io.vhca.physical.soft.wire.Syndrome;
import org.jspecify.annotations.Nullable;

/**
 * The RC responder: judges each request packet and executes it once and in order (IB spec vol. 1, 9.7.4). Its responses
 * go out through {@link ResponseSender}. The engine's owner.
 *
 * <p>A packet behind the expected one is a duplicate and is only answered again. One ahead of it is dropped, with one
 * NAK a gap. A refusal that is final is answered with a NAK, behind all that is owed, and moves the QP to ERR; what
 * comes meanwhile is dropped.
 */
final class Responder {
    /** What becomes of the QP once the NAK is sent: a receive failed with a status, or the request was at fault. */
    private record Refusal(@Nullable WcStatus receive, @Nullable AsyncEventType event) {}

    private static final int NO_MESSAGE = 0;

    private final QpContext qp;
    private final QpSettings settings;
    private final NicCounters counters;
    private final HeldReceive receive;
    private final PayloadPlacer placer;
    private final ResponseSender answers;
    private AnsweredAtomics atomics = new AnsweredAtomics(0);

    private int mtu;
    private long maxMessage;
    private long expected;
    /** SEND or WRITE of {@link Opcodes} while a message is under way. */
    private int message = NO_MESSAGE;
    /** Bytes of the message so far. */
    private long done;

    private long writeAddress;
    private long writeLength;
    private int writeKey;
    private boolean isEstablished;
    private @Nullable Refusal refusal;

    Responder(
            final QpContext qp,
            final NicCounters counters,
            final PayloadPlacer placer,
            final ResponseSender answers) {
        this.qp = qp;
        this.counters = counters;
        this.placer = placer;
        this.answers = answers;
        settings = qp.settings();
        receive = new HeldReceive(qp.receives(), qp.srq());
    }

    /** INIT to RTR. */
    void start() {
        mtu = settings.pathMtu().bytes();
        maxMessage = qp.maxMessageBytes();
        expected = settings.rqPsn();
        message = NO_MESSAGE;
        isEstablished = false;
        atomics = new AnsweredAtomics(qp.maxRdAtomic());
        answers.start(expected);
    }

    /** Sequence of the packet that comes next. */
    long expected() {
        return expected;
    }

    boolean run(final int budget) {
        final boolean isMoreToSend = answers.run(budget);
        final Refusal told = refusal;
        if (told != null && !isMoreToSend) {
            end(told);
        }
        return isMoreToSend;
    }

    private void end(final Refusal told) {
        refusal = null;
        if (told.receive() == null) {
            qp.enterError(told.event(), false);
        } else {
            receive.drop();
            placer.placeAll();
            qp.failReceive(receive.wrId(), told.receive());
        }
    }

    boolean hasDeadline() {
        return placer.hasDeadline() || answers.hasDeadline();
    }

    long deadlineNs() {
        if (!answers.hasDeadline()) {
            return placer.deadlineNs();
        }
        final long telling = answers.deadlineNs();
        return placer.hasDeadline() && placer.deadlineNs() - telling < 0 ? placer.deadlineNs() : telling;
    }

    void onDeadline() {
        if (placer.hasDeadline()) {
            placer.onDeadline();
        }
        answers.onDeadline();
    }

    boolean holdsUnplaced() {
        return placer.isBehind();
    }

    void abandon(final boolean isLost) {
        refusal = null;
        if (isLost) {
            placer.lose();
        } else {
            placer.placeAll();
            answers.last();
        }
        answers.clear();
        message = NO_MESSAGE;
        if (receive.isHeld()) {
            receive.drop();
            qp.flushReceive(receive.wrId());
        }
    }

    void forget() {
        refusal = null;
        answers.last();
        answers.clear();
        placer.free();
        receive.free();
        message = NO_MESSAGE;
    }

    // Requests.

    /** A request packet arrived. */
    void onRequest(final PacketFlyweight packet) {
        if (refusal != null) {
            return;
        }
        final long sequence = packet.sequenceNear(expected);
        if (sequence > expected) {
            counters.happened(NicCounter.OUT_OF_ORDER, DeviceStep.OUT_OF_ORDER, qp.qpNum(), sequence);
            answers.missing();
            qp.schedule();
            return;
        }
        if (sequence < expected) {
            counters.happened(NicCounter.DUPLICATES, DeviceStep.DUPLICATE, qp.qpNum(), sequence);
            onDuplicate(sequence, packet);
            qp.schedule();
            return;
        }
        if (!isEstablished) {
            isEstablished = true;
            // Only the packet that is expected: its sender knows the PSN, which was sent to the peer's address.
            qp.firstRequest();
        }
        final int kind = packet.flags() & (Opcodes.SEND | Opcodes.WRITE);
        final boolean isInSequence =
                packet.has(Opcodes.START) ? message == NO_MESSAGE : kind != 0 && message == kind;
        if (!isInSequence || !isSizeRight(packet)) {
            refuse(Syndrome.NAK_INVALID_REQUEST, AsyncEventType.QP_REQ_ERR);
        } else if (kind == Opcodes.SEND) {
            onSend(packet);
        } else if (kind == Opcodes.WRITE) {
            onWrite(packet);
        } else if (packet.has(Opcodes.READ)) {
            onRead(packet);
        } else {
            onAtomic(packet);
        }
        qp.schedule();
    }

    /** All but the last packet of a message are full; a last one is not empty. */
    private boolean isSizeRight(final PacketFlyweight packet) {
        final int payloadLength = packet.payloadLength();
        if (!packet.has(Opcodes.END)) {
            return payloadLength == mtu;
        }
        return payloadLength <= mtu && (payloadLength > 0 || packet.has(Opcodes.START));
    }

    private void onSend(final PacketFlyweight packet) {
        final int payloadLength = packet.payloadLength();
        if (packet.has(Opcodes.START)) {
            if (!receive.take()) {
                answers.notReady();
                return;
            }
            done = 0;
            message = Opcodes.SEND;
        }
        if (done + payloadLength > receive.lengthBytes()) {
            failReceive(WcStatus.LOC_LEN_ERR, Syndrome.NAK_INVALID_REQUEST);
            return;
        }
        if (!placer.scatter(receive, done, packet.payload(), payloadLength)) {
            failReceive(WcStatus.LOC_PROT_ERR, Syndrome.NAK_REMOTE_OPERATIONAL);
            return;
        }
        done += payloadLength;
        if (packet.has(Opcodes.END)) {
            endWithReceive(packet, WcOpcode.RECV);
        }
        accept(packet, 1);
    }

    private void onWrite(final PacketFlyweight packet) {
        final boolean hasImmediate = packet.has(Opcodes.HAS_IMM);
        if (hasImmediate && !receive.take()) {
            answers.notReady();
            return;
        }
        if (packet.has(Opcodes.START)) {
            writeAddress = packet.remoteAddr();
            writeKey = packet.rkey();
            writeLength = packet.dmaLength();
            if (writeLength > maxMessage) {
                refuse(Syndrome.NAK_INVALID_REQUEST, AsyncEventType.QP_REQ_ERR);
                return;
            }
            done = 0;
            message = Opcodes.WRITE;
        }
        final boolean isLast = packet.has(Opcodes.END);
        final long end = done + packet.payloadLength();
        if (end > writeLength || isLast && end != writeLength) {
            refuse(Syndrome.NAK_INVALID_REQUEST, AsyncEventType.QP_REQ_ERR);
            return;
        }
        // The whole range is judged with every packet: the region may be gone meanwhile.
        if (!qp.allowsRemote(writeKey, writeAddress, writeLength, AccessFlags.REMOTE_WRITE)) {
            refuse(Syndrome.NAK_REMOTE_ACCESS, AsyncEventType.QP_ACCESS_ERR);
            return;
        }
        placer.place(writeKey, writeAddress + done, packet.payload(), packet.payloadLength());
        done = end;
        if (isLast) {
            if (hasImmediate) {
                endWithReceive(packet, WcOpcode.RECV_RDMA_WITH_IMM);
            } else {
                placer.end();
            }
        }
        accept(packet, 1);
    }

    private void endWithReceive(final PacketFlyweight packet, final WcOpcode opcode) {
        receive.drop();
        placer.end(
                receive.wrId(),
                opcode,
                (int) done,
                packet.rawImmediate(),
                packet.has(Opcodes.HAS_IMM) ? WcFlags.WITH_IMM : 0,
                packet.isSolicited());
    }

    private void onRead(final PacketFlyweight packet) {
        final long address = packet.remoteAddr();
        final long lengthBytes = packet.dmaLength();
        final int key = packet.rkey();
        if (lengthBytes > maxMessage || settings.maxDestRdAtomic() == 0) {
            refuse(Syndrome.NAK_INVALID_REQUEST, AsyncEventType.QP_REQ_ERR);
            return;
        }
        if (!qp.allowsRemote(key, address, lengthBytes, AccessFlags.REMOTE_READ)) {
            refuse(Syndrome.NAK_REMOTE_ACCESS, AsyncEventType.QP_ACCESS_ERR);
            return;
        }
        if (answers.isFull()) {
            counters.increment(NicCounter.DROP_RESPONDER_FULL);
            return;
        }
        placer.placeAll();
        answers.oweRead(expected, address, lengthBytes, key);
        accept(packet, Math.max(1, (lengthBytes + mtu - 1) / mtu));
    }

    private void onAtomic(final PacketFlyweight packet) {
        final long address = packet.atomicAddr();
        if ((address & Long.BYTES - 1) != 0 || settings.maxDestRdAtomic() == 0) {
            refuse(Syndrome.NAK_INVALID_REQUEST, AsyncEventType.QP_REQ_ERR);
            return;
        }
        if (!qp.allowsRemote(packet.atomicRkey(), address, Long.BYTES, AccessFlags.REMOTE_ATOMIC)) {
            refuse(Syndrome.NAK_REMOTE_ACCESS, AsyncEventType.QP_ACCESS_ERR);
            return;
        }
        if (answers.isFull()) {
            counters.increment(NicCounter.DROP_RESPONDER_FULL);
            return;
        }
        placer.placeAll();
        PayloadPlacer.keepOrder();
        final long original = NativeMemory.getLong(address);
        final long operand = packet.swapOrAdd();
        if (packet.opcode() == Opcodes.RC_FETCH_ADD) {
            NativeMemory.putLong(address, original + operand);
        } else if (original == packet.compare()) {
            NativeMemory.putLong(address, operand);
        }
        atomics.remember(expected, original);
        answers.oweAtomic(expected, original);
        accept(packet, 1);
    }

    /** The packet is executed: on to the next. */
    private void accept(final PacketFlyweight packet, final long sequences) {
        if (qp.state() == QpState.ERR) {
            return;
        }
        expected += sequences;
        final boolean isEnd = packet.has(Opcodes.END);
        if (isEnd) {
            message = NO_MESSAGE;
        }
        if (packet.has(Opcodes.SEND | Opcodes.WRITE)) {
            answers.accepted(expected, isEnd, packet.isAckRequested());
        } else {
            answers.acceptedWithAnswer(expected);
        }
    }

    private void onDuplicate(final long sequence, final PacketFlyweight packet) {
        if (packet.has(Opcodes.READ)) {
            final long address = packet.remoteAddr();
            final long lengthBytes = packet.dmaLength();
            final int key = packet.rkey();
            final boolean isOwed = answers.isFull() || answers.endsWithRead(sequence);
            final boolean isWithin = sequence + (lengthBytes + mtu - 1) / mtu <= expected;
            if (!isOwed && isWithin && qp.allowsRemote(key, address, lengthBytes, AccessFlags.REMOTE_READ)) {
                answers.oweRead(sequence, address, lengthBytes, key);
            }
        } else if (packet.has(Opcodes.ATOMIC)) {
            final int index = atomics.find(sequence);
            if (index >= 0 && !answers.isFull()) {
                answers.oweAtomic(sequence, atomics.original(index));
            }
        } else {
            answers.repeat();
        }
    }

    /** The receive is at fault: the peer gets a NAK, it completes with that status, the QP moves to ERR. */
    private void failReceive(final WcStatus status, final int syndrome) {
        answers.refuse(syndrome);
        refusal = new Refusal(status, null);
    }

    /** The request is at fault: the peer gets a NAK, the QP moves to ERR. */
    private void refuse(final int syndrome, final AsyncEventType event) {
        answers.refuse(syndrome);
        refusal = new Refusal(null, event);
    }
}
