package io.vhca.physical.soft.engine;

import io.vhca.api.AccessFlags;
import io.vhca.api.AsyncEvent;
import io.vhca.api.AsyncEventType;
import io.vhca.api.NativeMemory;
import io.vhca.api.QpState;
import io.vhca.api.WcFlags;
import io.vhca.api.WcOpcode;
import io.vhca.api.WcStatus;
import io.vhca.physical.soft.wire.AtomicEthDescriptor;
import io.vhca.physical.soft.wire.BthDescriptor;
import io.vhca.physical.soft.wire.ImmDtDescriptor;
import io.vhca.physical.soft.wire.Opcodes;
import io.vhca.physical.soft.wire.Psn;
import io.vhca.physical.soft.wire.RethDescriptor;
import io.vhca.physical.soft.wire.Syndrome;
import org.jspecify.annotations.Nullable;

/**
 * The RC responder: judges each request packet and executes it once and in order (IB spec vol. 1, 9.7.4); the answers
 * are {@link Answers}.
 *
 * <p>A packet behind the expected one is a duplicate and only answered again; one ahead of it is dropped, with one NAK
 * a gap. A refusal that is final is answered with a NAK and moves the QP to ERR.
 */
final class Responder {
    private static final int NO_MESSAGE = 0;

    private final SoftQp qp;
    private final SoftNic nic;
    private final NicCounters counters;
    private final HeldReceive receive;
    private final Placement placement;
    private final Answers answers;
    private AtomicMemory atomics = new AtomicMemory(0);

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

    Responder(final SoftQp qp) {
        this.qp = qp;
        nic = qp.nic;
        counters = nic.counters();
        receive = new HeldReceive(qp);
        placement = new Placement(qp);
        answers = new Answers(qp);
    }

    /** INIT to RTR. */
    void start() {
        final QpSettings settings = qp.settings;
        mtu = settings.pathMtu.bytes();
        maxMessage = nic.config().maxMessageBytes();
        expected = settings.rqPsn;
        message = NO_MESSAGE;
        isEstablished = false;
        atomics = new AtomicMemory(settings.maxDestRdAtomic);
        answers.start(expected);
    }

    boolean run(final int budget) {
        return answers.run(budget);
    }

    boolean hasDeadline() {
        return placement.hasDeadline() || answers.hasDeadline();
    }

    long deadlineNs() {
        if (!answers.hasDeadline()) {
            return placement.deadlineNs();
        }
        final long telling = answers.deadlineNs();
        return placement.hasDeadline() && placement.deadlineNs() - telling < 0 ? placement.deadlineNs() : telling;
    }

    void onDeadline() {
        if (placement.hasDeadline()) {
            placement.onDeadline();
        }
        answers.onDeadline();
    }

    boolean holdsUnplaced() {
        return placement.isBehind();
    }

    void abandon(final boolean isLost) {
        answers.clear();
        if (isLost) {
            placement.lose();
        } else {
            placement.placeAll();
        }
        message = NO_MESSAGE;
        if (receive.isHeld()) {
            receive.drop();
            qp.completeReceive(receive.wrId(), WcStatus.WR_FLUSH_ERR, WcOpcode.RECV, 0, 0, 0, 0, false);
        }
    }

    void forget() {
        answers.clear();
        placement.free();
        receive.free();
        message = NO_MESSAGE;
    }

    // Requests.

    void onRequest(
            final int opcode, final int flags, final long packet, final long payload, final int payloadLength) {
        if (!isEstablished) {
            isEstablished = true;
            if (qp.state() == QpState.RTR) {
                nic.raise(AsyncEvent.ofQp(AsyncEventType.COMM_EST, qp));
            }
        }
        final long sequence = Psn.sequenceNear(BthDescriptor.psn(packet), expected);
        if (sequence > expected) {
            counters.increment(NicCounter.OUT_OF_ORDER);
            answers.missing();
            nic.schedule(qp);
            return;
        }
        if (sequence < expected) {
            counters.increment(NicCounter.DUPLICATES);
            onDuplicate(sequence, flags, packet);
            nic.schedule(qp);
            return;
        }
        final int kind = flags & (Opcodes.SEND | Opcodes.WRITE);
        final boolean isInSequence =
                (flags & Opcodes.START) != 0 ? message == NO_MESSAGE : kind != 0 && message == kind;
        if (!isInSequence || !isSizeRight(flags, payloadLength)) {
            refuse(Syndrome.NAK_INVALID_REQUEST, AsyncEventType.QP_REQ_ERR);
        } else if (kind == Opcodes.SEND) {
            onSend(flags, packet, payload, payloadLength);
        } else if (kind == Opcodes.WRITE) {
            onWrite(flags, packet, payload, payloadLength);
        } else if ((flags & Opcodes.READ) != 0) {
            onRead(packet);
        } else {
            onAtomic(opcode, packet);
        }
        nic.schedule(qp);
    }

    /** All but the last packet of a message are full; a last one is not empty. */
    private boolean isSizeRight(final int flags, final int payloadLength) {
        if ((flags & Opcodes.END) == 0) {
            return payloadLength == mtu;
        }
        return payloadLength <= mtu && (payloadLength > 0 || (flags & Opcodes.START) != 0);
    }

    private void onSend(final int flags, final long packet, final long payload, final int payloadLength) {
        if ((flags & Opcodes.START) != 0) {
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
        if (!placement.scatter(receive, done, payload, payloadLength)) {
            failReceive(WcStatus.LOC_PROT_ERR, Syndrome.NAK_REMOTE_OPERATIONAL);
            return;
        }
        done += payloadLength;
        if ((flags & Opcodes.END) != 0) {
            endWithReceive(flags, packet, payload, WcOpcode.RECV);
        }
        accept(packet, flags, 1);
    }

    private void onWrite(final int flags, final long packet, final long payload, final int payloadLength) {
        final boolean hasImmediate = (flags & Opcodes.HAS_IMM) != 0;
        if (hasImmediate && !receive.take()) {
            answers.notReady();
            return;
        }
        if ((flags & Opcodes.START) != 0) {
            final long reth = packet + BthDescriptor.SIZE;
            writeAddress = RethDescriptor.virtualAddress(reth);
            writeKey = RethDescriptor.rkey(reth);
            writeLength = RethDescriptor.lengthBytes(reth);
            if (writeLength > maxMessage) {
                refuse(Syndrome.NAK_INVALID_REQUEST, AsyncEventType.QP_REQ_ERR);
                return;
            }
            done = 0;
            message = Opcodes.WRITE;
        }
        final long end = done + payloadLength;
        if (end > writeLength || (flags & Opcodes.END) != 0 && end != writeLength) {
            refuse(Syndrome.NAK_INVALID_REQUEST, AsyncEventType.QP_REQ_ERR);
            return;
        }
        if (!mayAccess(writeKey, writeAddress, writeLength, AccessFlags.REMOTE_WRITE)) {
            refuse(Syndrome.NAK_REMOTE_ACCESS, AsyncEventType.QP_ACCESS_ERR);
            return;
        }
        placement.place(writeKey, writeAddress + done, payload, payloadLength);
        done = end;
        if ((flags & Opcodes.END) != 0) {
            if (hasImmediate) {
                endWithReceive(flags, packet, payload, WcOpcode.RECV_RDMA_WITH_IMM);
            } else {
                placement.end();
            }
        }
        accept(packet, flags, 1);
    }

    /** The whole range is judged with every packet: the region may have gone meanwhile. */
    private boolean mayAccess(final int key, final long address, final long lengthBytes, final int access) {
        return (qp.settings.accessFlags & access) != 0
                && (lengthBytes == 0 || nic.keys().allows(key, qp.pd(), address, lengthBytes, access));
    }

    private void endWithReceive(final int flags, final long packet, final long payload, final WcOpcode opcode) {
        final boolean hasImmediate = (flags & Opcodes.HAS_IMM) != 0;
        receive.drop();
        placement.end(
                receive.wrId(),
                opcode,
                (int) done,
                hasImmediate ? NativeMemory.getInt(payload - ImmDtDescriptor.SIZE) : 0,
                hasImmediate ? WcFlags.WITH_IMM : 0,
                BthDescriptor.isSolicited(packet));
    }

    private void onRead(final long packet) {
        final long reth = packet + BthDescriptor.SIZE;
        final long address = RethDescriptor.virtualAddress(reth);
        final long lengthBytes = RethDescriptor.lengthBytes(reth);
        final int key = RethDescriptor.rkey(reth);
        if (lengthBytes > maxMessage || qp.settings.maxDestRdAtomic == 0) {
            refuse(Syndrome.NAK_INVALID_REQUEST, AsyncEventType.QP_REQ_ERR);
            return;
        }
        if (!mayAccess(key, address, lengthBytes, AccessFlags.REMOTE_READ)) {
            refuse(Syndrome.NAK_REMOTE_ACCESS, AsyncEventType.QP_ACCESS_ERR);
            return;
        }
        if (answers.isFull()) {
            counters.increment(NicCounter.DROP_RESPONDER_FULL);
            return;
        }
        placement.placeAll();
        answers.oweRead(expected, address, lengthBytes, key);
        accept(packet, Opcodes.END, Math.max(1, (lengthBytes + mtu - 1) / mtu));
    }

    private void onAtomic(final int opcode, final long packet) {
        final long header = packet + BthDescriptor.SIZE;
        final long address = AtomicEthDescriptor.virtualAddress(header);
        if ((address & Long.BYTES - 1) != 0 || qp.settings.maxDestRdAtomic == 0) {
            refuse(Syndrome.NAK_INVALID_REQUEST, AsyncEventType.QP_REQ_ERR);
            return;
        }
        if (!mayAccess(AtomicEthDescriptor.rkey(header), address, Long.BYTES, AccessFlags.REMOTE_ATOMIC)) {
            refuse(Syndrome.NAK_REMOTE_ACCESS, AsyncEventType.QP_ACCESS_ERR);
            return;
        }
        if (answers.isFull()) {
            counters.increment(NicCounter.DROP_RESPONDER_FULL);
            return;
        }
        placement.placeAll();
        final long original = NativeMemory.getLong(address);
        final long operand = AtomicEthDescriptor.swapOrAdd(header);
        if (opcode == Opcodes.RC_FETCH_ADD) {
            NativeMemory.putLong(address, original + operand);
        } else if (original == AtomicEthDescriptor.compare(header)) {
            NativeMemory.putLong(address, operand);
        }
        atomics.remember(expected, original);
        answers.oweAtomic(expected, original);
        accept(packet, Opcodes.END, 1);
    }

    /** The packet is executed: on to the next. */
    private void accept(final long packet, final int flags, final long sequences) {
        if (qp.state() == QpState.ERR) {
            return;
        }
        expected += sequences;
        final boolean isEnd = (flags & Opcodes.END) != 0;
        if (isEnd) {
            message = NO_MESSAGE;
        }
        if ((flags & (Opcodes.SEND | Opcodes.WRITE)) != 0) {
            answers.accepted(expected, isEnd, BthDescriptor.isAckRequested(packet));
        } else {
            answers.acceptedWithAnswer(expected);
        }
    }

    private void onDuplicate(final long sequence, final int flags, final long packet) {
        if ((flags & Opcodes.READ) != 0) {
            final long reth = packet + BthDescriptor.SIZE;
            final long address = RethDescriptor.virtualAddress(reth);
            final long lengthBytes = RethDescriptor.lengthBytes(reth);
            final int key = RethDescriptor.rkey(reth);
            final boolean isOwed = answers.isFull() || answers.endsWithRead(sequence);
            final boolean isWithin = sequence + (lengthBytes + mtu - 1) / mtu <= expected;
            if (!isOwed && isWithin && mayAccess(key, address, lengthBytes, AccessFlags.REMOTE_READ)) {
                answers.oweRead(sequence, address, lengthBytes, key);
            }
        } else if ((flags & Opcodes.ATOMIC) != 0) {
            final int index = atomics.find(sequence);
            if (index >= 0 && !answers.isFull()) {
                answers.oweAtomic(sequence, atomics.original(index));
            }
        } else {
            answers.repeat();
        }
    }

    /** The receive is at fault: it completes so, the peer is told, the QP is done. */
    private void failReceive(final WcStatus status, final int syndrome) {
        receive.drop();
        answers.refuse(syndrome);
        placement.placeAll();
        qp.completeReceive(receive.wrId(), status, WcOpcode.RECV, 0, 0, 0, 0, false);
        qp.enterError(null, false);
    }

    /** The request is at fault: the peer is told, the QP is done. */
    private void refuse(final int syndrome, final @Nullable AsyncEventType event) {
        answers.refuse(syndrome);
        qp.enterError(event, false);
    }
}
