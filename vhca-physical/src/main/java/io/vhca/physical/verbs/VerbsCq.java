package io.vhca.physical.verbs;

import io.vhca.api.CompletionChannel;
import io.vhca.api.CompletionQueue;
import io.vhca.api.Context;
import io.vhca.api.Errno;
import io.vhca.api.NativeMemory;
import io.vhca.physical.rdmacore.ibv_cq;
import io.vhca.physical.verbs.lib.DataPath;
import io.vhca.physical.verbs.lib.Ibv;
import io.vhca.physical.verbs.lib.VerbFailure;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * A completion queue of libibverbs. Polling is the provider's own; closing it while another thread polls is an error,
 * as in C.
 */
final class VerbsCq implements CompletionQueue {
    private final VerbsContext context;
    private final @Nullable Object cqContext;
    private final @Nullable VerbsCompletionChannel channel;
    private final Children users = new Children();
    private final MemorySegment pollFunction;
    private final MemorySegment notifyFunction;
    private final String name;
    /** Address of the {@code struct ibv_cq}, 0 once closed. */
    private volatile long address;

    VerbsCq(
            final VerbsContext context,
            final long address,
            final @Nullable Object cqContext,
            final @Nullable VerbsCompletionChannel channel) {
        this.context = context;
        this.address = address;
        this.cqContext = cqContext;
        this.channel = channel;
        name = context + " cq 0x" + Long.toHexString(address);
        pollFunction = DataPath.pollCqFunction(context.address());
        notifyFunction = DataPath.reqNotifyCqFunction(context.address());
        context.cqs().put(address, this);
        context.children().add(this);
        if (channel != null) {
            channel.users().add(this);
        }
    }

    @Override
    public Context context() {
        return context;
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
    public @Nullable Object cqContext() {
        return cqContext;
    }

    @Override
    public @Nullable CompletionChannel channel() {
        return channel;
    }

    @Override
    public int cqe() {
        final long cq = address;
        return cq == 0 ? 0 : NativeMemory.getInt(cq + ibv_cq.cqe$offset());
    }

    @Override
    public int poll(final long wcAddress, final int maxEntries) {
        final long cq = address;
        if (cq == 0) {
            return -Errno.EINVAL;
        }
        final int count = DataPath.pollCq(pollFunction, cq, maxEntries, wcAddress);
        if (count > 0 || count == 0 && !context.isMute()) {
            return count;
        }
        return -Errno.EIO;
    }

    @Override
    public void reqNotify(final boolean solicitedOnly) {
        final long cq = address("reqNotifyCq");
        context.requireLive("reqNotifyCq");
        if (channel != null) {
            channel.settle(this);
        }
        final int failed = DataPath.reqNotifyCq(notifyFunction, cq, solicitedOnly ? 1 : 0);
        if (failed != 0) {
            throw VerbFailure.of("reqNotifyCq", -Math.abs(failed), toString());
        }
    }

    @Override
    public synchronized void resize(final int cqe) {
        final long cq = address("resizeCq");
        context.requireLive("resizeCq");
        final int failed = Ibv.RESIZE_CQ.status(cq, cqe);
        if (failed < 0) {
            throw VerbFailure.of("resizeCq", failed, this + " to " + cqe);
        }
    }

    @Override
    public synchronized void close() {
        final long cq = address;
        if (cq == 0) {
            return;
        }
        users.requireNone("destroyCq", this);
        address = 0;
        try {
            final int failed = context.destroying().behindQueuePairs(() -> Ibv.DESTROY_CQ.status(cq));
            context.requireDestroyed("destroyCq", failed, this);
        } catch (final RuntimeException | Error e) {
            address = cq;
            throw e;
        }
        context.cqs().remove(cq, this);
        context.destroyed(this);
        context.children().remove(this);
        if (channel != null) {
            channel.users().remove(this);
        }
    }

    @Override
    public String toString() {
        return name;
    }
}
