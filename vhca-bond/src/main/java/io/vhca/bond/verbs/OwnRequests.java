package io.vhca.bond.verbs;

import io.vhca.api.NativeMemory;
import io.vhca.api.SendFlags;
import io.vhca.api.SendWrDescriptor;
import io.vhca.api.WcStatus;
import io.vhca.api.WrOpcode;
import io.vhca.bond.queue.VirtualRecvQueue;
import io.vhca.bond.queue.VirtualSendQueue;
import io.vhca.bond.wire.PhysicalWrId;
import io.vhca.recovery.FailureClass;
import io.vhca.recovery.FailureClassifier;
import io.vhca.recovery.FailureReason;

/**
 * The bond's own requests on the physical QP of one vQP, and what they tell: a marker behind each queue says when a
 * fenced QP is drained, a probe whether the path lives.
 *
 * <p>Not every QP gives markers back: some flush only what was posted before they went to ERR. So a queue also counts
 * as drained once all that was given to it has come back.
 *
 * <p>Threads: completions are noted inside the gates of the two CQs, one thread each; the rest is the control thread's.
 */
public final class OwnRequests {
    private static final int SEND_MARKER_SEEN = 1;
    private static final int RECV_MARKER_SEEN = 2;

    private final VirtualSendQueue sendQueue;
    private final VirtualRecvQueue recvQueue;
    private final boolean recvsAreShared;
    private final QpNotes notes;
    private final QpLedger ledger;
    private volatile int markersSeen;
    private volatile long sendsFlushed;
    private volatile long recvsFlushed;
    private volatile boolean probing;
    private int looks;
    /** The requests before this one were with the hardware when the probe was sent: its success is theirs. */
    private volatile long covered;

    OwnRequests(
            final VirtualSendQueue sendQueue,
            final VirtualRecvQueue recvQueue,
            final boolean recvsAreShared,
            final QpNotes notes,
            final QpLedger ledger) {
        this.sendQueue = sendQueue;
        this.recvQueue = recvQueue;
        this.recvsAreShared = recvsAreShared;
        this.notes = notes;
        this.ledger = ledger;
    }

    /** Another physical QP: nothing is under way on it. */
    void reset() {
        markersSeen = 0;
        sendsFlushed = 0;
        recvsFlushed = 0;
        probing = false;
        looks = 0;
    }

    /** One of them is back: done, or of a kind that comes back whatever becomes of it. */
    public void onBack(final int kind) {
        if (kind == PhysicalWrId.KIND_PROBE) {
            sendQueue.doneBefore(covered);
            if (sendQueue.isConfirming()) {
                notes.add(QpNotes.UNCONFIRMED);
            }
            probing = false;
            if (sendQueue.hasBacklog()) {
                sendQueue.pumpIfIdle();
            }
            return;
        }
        // Two CQs may report at once; each sets its own bit.
        final int bit = kind == PhysicalWrId.KIND_SEND_MARKER ? SEND_MARKER_SEEN : RECV_MARKER_SEEN;
        synchronized (this) {
            markersSeen |= bit;
        }
        notes.add(QpNotes.MARKER);
    }

    /** One of them is back without success. */
    void onError(final int kind, final int status) {
        if (kind != PhysicalWrId.KIND_PROBE && kind != PhysicalWrId.KIND_MARK) {
            onBack(kind);
            return;
        }
        if (kind == PhysicalWrId.KIND_PROBE) {
            probing = false;
        }
        if (status != WcStatus.WR_FLUSH_ERR.code()) {
            if (kind == PhysicalWrId.KIND_MARK && isRefusal(status)) {
                ledger.onMarkRefused();
            }
            notes.addPathFailure(
                    kind == PhysicalWrId.KIND_PROBE ? FailureReason.HEARTBEAT : FailureReason.RETRY_EXC);
        }
    }

    /** The peer's hardware said no; everything else may be the path's fault. */
    private static boolean isRefusal(final int status) {
        return FailureClassifier.classify(WcStatus.fromCode(status), 0, true) == FailureClass.PASS_THROUGH;
    }

    /** A request of the application's was flushed; as they come back in order, all before it are back as well. */
    void onFlushed(final int kind, final long wrId) {
        if (kind == PhysicalWrId.KIND_SEND) {
            sendsFlushed = Math.max(sendsFlushed, sendQueue.sequenceOf(wrId) + 1);
        } else {
            recvsFlushed = Math.max(recvsFlushed, recvQueue.sequenceOf(wrId) + 1);
        }
    }

    /**
     * True when a request was flushed though nobody moved the physical QP to ERR, and still nobody has said why at the
     * second look: it went there by itself. Some devices tell nobody else. The control thread, while nothing is wrong.
     */
    public boolean isFlushedUnasked() {
        return (sendsFlushed != 0 || recvsFlushed != 0) && ++looks > 1;
    }

    /**
     * True when nothing more can come from the physical QP: on each queue the marker is back, or all before it. Of
     * shared receives the event QP_LAST_WQE_REACHED tells, which counts as their marker.
     *
     * @param tellsLastWqe false where the device has no such event: then nobody tells, and nothing is waited for
     */
    public boolean isDrained(final boolean tellsLastWqe) {
        return hasSends() && (hasReceives() || recvsAreShared && !tellsLastWqe);
    }

    /** True when the drain lacks that event, and nothing else. */
    public boolean lacksLastWqe() {
        return recvsAreShared && hasSends() && !hasReceives();
    }

    private boolean hasSends() {
        return (markersSeen & SEND_MARKER_SEEN) != 0 || sendQueue.isBack(sendsFlushed);
    }

    private boolean hasReceives() {
        return (markersSeen & RECV_MARKER_SEEN) != 0 || !recvsAreShared && recvQueue.isBack(recvsFlushed);
    }

    public boolean isProbing() {
        return probing;
    }

    /**
     * Sends a probe unless one is under way: a WRITE of no bytes, which needs neither a key nor a receive at the peer.
     * Where the hardware's queue is full, what fills it tells as much.
     *
     * @param scratchWr where to write the request
     */
    void probe(final long scratchWr, final long wrId) {
        if (probing) {
            return;
        }
        NativeMemory.fill(scratchWr, SendWrDescriptor.SIZE, (byte) 0);
        NativeMemory.putLong(scratchWr + SendWrDescriptor.WR_ID_OFFSET, wrId);
        NativeMemory.putInt(scratchWr + SendWrDescriptor.OPCODE_OFFSET, WrOpcode.RDMA_WRITE.code());
        NativeMemory.putInt(scratchWr + SendWrDescriptor.SEND_FLAGS_OFFSET, SendFlags.SIGNALED);
        covered = sendQueue.postedAtGlance();
        probing = true;
        if (!sendQueue.postBeside(scratchWr)) {
            probing = false;
        }
    }
}
