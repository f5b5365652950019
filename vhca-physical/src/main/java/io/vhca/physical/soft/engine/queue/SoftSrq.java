package io.vhca.physical.soft.engine.queue;

import io.vhca.api.AsyncEvent;
import io.vhca.api.AsyncEventType;
import io.vhca.api.Errno;
import io.vhca.api.ProtectionDomain;
import io.vhca.api.SharedReceiveQueue;
import io.vhca.api.SrqAttributes;
import io.vhca.api.VerbsException;
import io.vhca.physical.soft.engine.core.EngineCore;
import io.vhca.physical.soft.engine.core.UseCount;
import io.vhca.physical.soft.engine.memory.MemoryDomain;

/** A shared receive queue of a soft device. Any thread posts; the engine's owner takes. */
public final class SoftSrq implements SharedReceiveQueue {
    private final EngineCore core;
    private final MemoryDomain domain;
    private final UseCount open;
    private final UseCount users;
    private final ReceiveQueue queue;
    private int limit;
    private volatile boolean isClosed;

    /**
     * Counts itself among the domain's users and the open SRQs. The engine's owner.
     *
     * @param open the device's SRQs
     */
    public SoftSrq(
            final EngineCore core, final MemoryDomain domain, final SrqAttributes attributes, final UseCount open) {
        this.core = core;
        this.domain = domain;
        this.open = open;
        users = new UseCount(core);
        limit = attributes.limit();
        queue = new ReceiveQueue(attributes.maxWr(), attributes.maxSge());
        open.added();
        domain.addUser();
    }

    @Override
    public ProtectionDomain pd() {
        return domain.pd();
    }

    /** The domain whose queue pairs may use it. */
    public MemoryDomain domain() {
        return domain;
    }

    /** Not destroyed. */
    public boolean isOpen() {
        return !isClosed;
    }

    /** The receives themselves. */
    public ReceiveQueue queue() {
        return queue;
    }

    /** Another queue pair takes from this; the engine's owner. */
    public void addUser() {
        users.added();
    }

    /** A queue pair does not take from this any more; the engine's owner. */
    public void removeUser() {
        users.removed();
    }

    @Override
    public void armLimit(final int newLimit) {
        core.acquireFor("modifySrq");
        try {
            if (newLimit < 0 || newLimit > queue.limit()) {
                throw new VerbsException(
                        "modifySrq", Errno.EINVAL, toString(), "the limit must be 0 .. " + queue.limit());
            }
            limit = newLimit;
            checkLimit();
        } finally {
            core.release();
        }
    }

    @Override
    public SrqAttributes query() {
        core.acquireFor("querySrq");
        try {
            return new SrqAttributes(queue.limit(), queue.maxSge(), limit);
        } finally {
            core.release();
        }
    }

    @Override
    public int postRecv(final long wrAddress) {
        queue.lock();
        try {
            if (isClosed) {
                return -Errno.EINVAL;
            }
            return core.isDead() ? -Errno.EIO : queue.postAll(wrAddress);
        } finally {
            queue.unlock();
        }
    }

    /** Raises the limit event once when too few are left; the engine's owner, after taking one. */
    void checkLimit() {
        assert core.isOwner() : "only the engine's owner takes receives";
        if (limit > 0 && queue.size() < limit) {
            limit = 0;
            core.raise(AsyncEvent.ofSrq(AsyncEventType.SRQ_LIMIT_REACHED, this));
        }
    }

    @Override
    public void close() {
        core.acquire();
        try {
            if (isClosed) {
                return;
            }
            if (users.get() > 0) {
                throw new VerbsException(
                        "destroySrq",
                        Errno.EBUSY,
                        toString(),
                        users.get() + " queue pairs use it: destroy them first");
            }
            queue.lock();
            isClosed = true;
            queue.unlock();
            queue.free();
            open.removed();
            domain.removeUser();
            core.destroyed(this);
        } finally {
            core.release();
        }
    }

    @Override
    public String toString() {
        return core.name() + " srq";
    }
}
