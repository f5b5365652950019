package io.vhca.physical.soft.engine;

import io.vhca.api.AsyncEvent;
import io.vhca.api.AsyncEventType;
import io.vhca.api.Errno;
import io.vhca.api.NativeMemory;
import io.vhca.api.RecvWrDescriptor;
import io.vhca.api.SharedReceiveQueue;
import io.vhca.api.SrqAttributes;
import io.vhca.api.VerbsException;

/** A shared receive queue of a {@link SoftNic}. */
public final class SoftSrq implements SharedReceiveQueue {
    private final SoftPd pd;
    final ReceiveQueue queue;
    /** QPs on this queue; guarded by the engine's ownership. */
    int users;

    private int limit;
    private volatile boolean isClosed;

    SoftSrq(final SoftPd pd, final SrqAttributes attributes) {
        this.pd = pd;
        limit = attributes.limit();
        queue = new ReceiveQueue(attributes.maxWr(), attributes.maxSge());
    }

    @Override
    public SoftPd pd() {
        return pd;
    }

    @Override
    public void armLimit(final int newLimit) {
        pd.nic.acquireFor("modifySrq");
        try {
            if (newLimit < 0 || newLimit > queue.limit()) {
                throw new VerbsException(
                        "modifySrq", Errno.EINVAL, toString(), "the limit must be 0 .. " + queue.limit());
            }
            limit = newLimit;
            checkLimit();
        } finally {
            pd.nic.release();
        }
    }

    @Override
    public SrqAttributes query() {
        pd.nic.acquireFor("querySrq");
        try {
            return new SrqAttributes(queue.limit(), queue.maxSge(), limit);
        } finally {
            pd.nic.release();
        }
    }

    @Override
    public int postRecv(final long wrAddress) {
        int count = 0;
        int result = 0;
        queue.lock.lock();
        try {
            if (isClosed) {
                return -Errno.EINVAL;
            }
            if (pd.nic.isDead()) {
                return -Errno.EIO;
            }
            for (long wr = wrAddress; wr != 0; wr = NativeMemory.getLong(wr + RecvWrDescriptor.NEXT_OFFSET)) {
                result = queue.post(wr);
                if (result != 0) {
                    break;
                }
                count++;
            }
        } finally {
            queue.lock.unlock();
        }
        return count > 0 ? count : result;
    }

    /** Raises the limit event once when too few are left; the engine's owner, after taking one. */
    void checkLimit() {
        if (limit > 0 && queue.size() < limit) {
            limit = 0;
            pd.nic.raise(AsyncEvent.ofSrq(AsyncEventType.SRQ_LIMIT_REACHED, this));
        }
    }

    @Override
    public void close() {
        pd.nic.acquire();
        try {
            if (isClosed) {
                return;
            }
            if (users > 0) {
                throw new VerbsException(
                        "destroySrq", Errno.EBUSY, toString(), users + " queue pairs use it: destroy them first");
            }
            queue.lock.lock();
            isClosed = true;
            queue.lock.unlock();
            queue.free();
            pd.nic.objects().srqClosed(this);
        } finally {
            pd.nic.release();
        }
    }

    @Override
    public String toString() {
        return pd.nic.name() + " srq";
    }
}
