package io.vhca.physical.soft.engine;

import io.vhca.api.NativeMemory;

/**
 * The receive that the message now arriving fills: a copy of its WQE, taken off the queue when the message begins, so
 * that an SRQ can serve others meanwhile.
 */
final class HeldReceive {
    private final SoftQp qp;
    private final int bytes;
    private long copy;
    private boolean isHeld;

    HeldReceive(final SoftQp qp) {
        this.qp = qp;
        bytes = RecvWqeDescriptor.bytes(qp.receives.maxSge());
    }

    boolean isHeld() {
        return isHeld;
    }

    /** False when there is no receive. */
    boolean take() {
        if (isHeld) {
            return true;
        }
        final ReceiveQueue queue = qp.receives;
        if (queue.isEmpty()) {
            return false;
        }
        if (copy == 0) {
            copy = NativeHeap.allocate(bytes);
        }
        NativeMemory.copy(queue.front(), copy, bytes);
        queue.pop();
        isHeld = true;
        final SoftSrq srq = qp.srq();
        if (srq != null) {
            srq.checkLimit();
        }
        return true;
    }

    long wrId() {
        return RecvWqeDescriptor.wrId(copy);
    }

    /** Bytes that it holds. */
    long lengthBytes() {
        return RecvWqeDescriptor.length(copy);
    }

    long sges() {
        return copy + RecvWqeDescriptor.SGES_OFFSET;
    }

    int numSge() {
        return RecvWqeDescriptor.numSge(copy);
    }

    void drop() {
        isHeld = false;
    }

    void free() {
        isHeld = false;
        if (copy != 0) {
            NativeHeap.free(copy);
            copy = 0;
        }
    }
}
