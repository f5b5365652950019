package io.vhca.physical.verbs;

import io.vhca.api.Errno;
import io.vhca.api.SharedReceiveQueue;
import io.vhca.api.SrqAttributes;
import io.vhca.physical.rdmacore.ibv_srq_attr;
import io.vhca.physical.verbs.lib.DataPath;
import io.vhca.physical.verbs.lib.Ibv;
import io.vhca.physical.verbs.lib.VerbFailure;
import io.vhca.physical.verbs.lib.WorkRequestPoster;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** A shared receive queue of libibverbs. Posting is the provider's own. */
final class VerbsSrq implements SharedReceiveQueue {
    private static final int IBV_SRQ_LIMIT = 2;

    private final VerbsPd pd;
    private final Children users = new Children();
    private final MemorySegment postFunction;
    private final WorkRequestPoster badWr = new WorkRequestPoster();
    private final String name;
    /** Address of the {@code struct ibv_srq}, 0 once closed. */
    private volatile long address;

    VerbsSrq(final VerbsPd pd, final long address) {
        this.pd = pd;
        this.address = address;
        name = pd.context() + " srq 0x" + Long.toHexString(address);
        postFunction = DataPath.postSrqRecvFunction(pd.context().address());
        pd.context().srqs().put(address, this);
        pd.children().add(this);
    }

    @Override
    public VerbsPd pd() {
        return pd;
    }

    Children users() {
        return users;
    }

    /** @throws io.vhca.api.VerbsException EINVAL once closed */
    long address(final String verb) {
        final long now = address;
        if (now == 0) {
            throw VerbFailure.closed(verb, toString());
        }
        return now;
    }

    @Override
    public void armLimit(final int limit) {
        final long srq = address("modifySrq");
        pd.context().requireLive("modifySrq");
        try (Arena arena = Arena.ofConfined()) {
            final MemorySegment attr = arena.allocate(ibv_srq_attr.layout());
            ibv_srq_attr.srq_limit(attr, limit);
            final int failed = Ibv.MODIFY_SRQ.status(srq, attr.address(), IBV_SRQ_LIMIT);
            if (failed < 0) {
                throw VerbFailure.of("modifySrq", failed, this + " limit " + limit);
            }
        }
    }

    @Override
    public SrqAttributes query() {
        final long srq = address("querySrq");
        pd.context().requireLive("querySrq");
        try (Arena arena = Arena.ofConfined()) {
            final MemorySegment attr = arena.allocate(ibv_srq_attr.layout());
            final int failed = Ibv.QUERY_SRQ.status(srq, attr.address());
            if (failed < 0) {
                throw VerbFailure.of("querySrq", failed, toString());
            }
            return new SrqAttributes(
                    ibv_srq_attr.max_wr(attr), ibv_srq_attr.max_sge(attr), ibv_srq_attr.srq_limit(attr));
        }
    }

    @Override
    public int postRecv(final long wrAddress) {
        final long srq = address;
        if (srq == 0) {
            return -Errno.EINVAL;
        }
        if (pd.context().isDead()) {
            return -Errno.EIO;
        }
        return badWr.post(postFunction, srq, wrAddress);
    }

    @Override
    public synchronized void close() {
        final long srq = address;
        if (srq == 0) {
            return;
        }
        users.requireNone("destroySrq", this);
        address = 0;
        try {
            final int failed = pd.context().destroying().behindQueuePairs(() -> Ibv.DESTROY_SRQ.status(srq));
            pd.context().requireDestroyed("destroySrq", failed, this);
        } catch (final RuntimeException | Error e) {
            address = srq;
            throw e;
        }
        pd.context().srqs().remove(srq, this);
        pd.context().destroyed(this);
        pd.children().remove(this);
    }

    @Override
    public String toString() {
        return name;
    }
}
