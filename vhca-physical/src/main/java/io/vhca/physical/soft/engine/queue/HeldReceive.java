package io.vhca.physical.soft.engine.queue;

import io.vhca.api.NativeMemory;
import io.vhca.physical.soft.engine.core.NativeHeap;
import org.jspecify.annotations.Nullable;

/**
 * The receive that the message now arriving fills. It is a copy of the WQE, which leaves its queue when the message
 * begins, so that an SRQ can serve other queue pairs meanwhile. The engine's owner.
 */
public final class HeldReceive {
    private final ReceiveQueue queue;
    private final @Nullable SoftSrq srq;
    private final int bytes;
    private long copy;
    private boolean isHeld;

    /** Takes from {@code queue}, which is {@code srq}'s where there is one. */
    public HeldReceive(final ReceiveQueue queue, final @Nullable SoftSrq srq) {
        this.queue = queue;
        this.srq = srq;
        bytes = RecvWqeDescriptor.bytes(queue.maxSge());
    }

    /** True from {@link #take} to {@link #drop}. */
    public boolean isHeld() {
        return isHeld;
    }

    /** Takes the oldest receive where none is held; false when there is none. */
    public boolean take() {
        if (isHeld) {
            return true;
        }
        if (queue.isEmpty()) {
            return false;
        }
        if (copy == 0) {
            copy = NativeHeap.allocate(bytes);
        }
        NativeMemory.copy(queue.front(), copy, bytes);
        queue.pop();
        isHeld = true;
        if (srq != null) {
            srq.checkLimit();
        }
        return true;
    }

    /** The wr_id; valid from the first {@link #take} on, until the next. */
    public long wrId() {
        assert copy != 0 : "no receive was taken";
        return RecvWqeDescriptor.wrId(copy);
    }

    /** Bytes that it can take. */
    public long lengthBytes() {
        return RecvWqeDescriptor.length(copy);
    }

    /** Native address of its scatter/gather elements. */
    public long sges() {
        return copy + RecvWqeDescriptor.SGES_OFFSET;
    }

    /** How many elements there are. */
    public int numSge() {
        return RecvWqeDescriptor.numSge(copy);
    }

    /** The receive is done; its values stay until the next is taken. */
    public void drop() {
        isHeld = false;
    }

    /** Frees the copy; a held receive is forgotten. */
    public void free() {
        isHeld = false;
        if (copy != 0) {
            NativeHeap.free(copy);
            copy = 0;
        }
    }
}
