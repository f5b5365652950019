package io.vhca.physical.verbs;

import io.vhca.api.CompletionChannel;
import io.vhca.api.CompletionQueue;
import io.vhca.api.Context;
import io.vhca.api.Errno;
import io.vhca.api.NativeMemory;
import io.vhca.physical.rdmacore.ibv_comp_channel;
import io.vhca.physical.verbs.lib.Ibv;
import io.vhca.physical.verbs.lib.Readiness;
import io.vhca.physical.verbs.lib.Teller;
import io.vhca.physical.verbs.lib.VerbFailure;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** A completion channel of libibverbs; its descriptor is non-blocking, waiting is done in poll(2). Any thread. */
final class VerbsCompletionChannel implements CompletionChannel {
    private final VerbsContext context;
    private final long address;
    private final Readiness readiness;
    private final Teller teller;
    private final Children users = new Children();
    /** Where the library writes what it gives: of the thread that asked last, for the next one. */
    private final AtomicReference<@Nullable MemorySegment> spare = new AtomicReference<>();

    VerbsCompletionChannel(final VerbsContext context, final long address) {
        this.context = context;
        this.address = address;
        final int fd = NativeMemory.getInt(address + ibv_comp_channel.fd$offset());
        try {
            readiness = new Readiness("createCompChannel", context.toString(), fd);
        } catch (final RuntimeException e) {
            Ibv.DESTROY_COMP_CHANNEL.value(address);
            throw e;
        }
        teller = new Teller(fd, readiness);
        context.channels().add(this);
    }

    @Override
    public Context context() {
        return context;
    }

    long address() {
        return address;
    }

    Children users() {
        return users;
    }

    @Override
    public @Nullable CompletionQueue getCqEvent(final long timeoutNs) {
        if (!readiness.enter()) {
            return null;
        }
        final MemorySegment free = spare.getAndSet(null);
        final MemorySegment out = free == null ? Arena.ofAuto().allocate(ValueLayout.JAVA_LONG, 2) : free;
        try {
            final long startNs = System.nanoTime();
            while (true) {
                final int failed = Ibv.GET_CQ_EVENT.status(address, out.address(), out.address() + Long.BYTES);
                if (failed == 0) {
                    final long cq = out.get(ValueLayout.JAVA_LONG, 0);
                    final VerbsCq known = context.cqs().get(cq);
                    Ibv.ACK_CQ_EVENTS.value(cq, 1);
                    if (known != null) {
                        return known;
                    }
                } else if (failed != -Errno.EAGAIN && failed != -VerbFailure.EINTR && context.isDead()) {
                    return null;
                } else if (failed != -Errno.EAGAIN && failed != -VerbFailure.EINTR) {
                    throw VerbFailure.of("getCqEvent", failed, toString());
                } else if (!readiness.await(startNs, timeoutNs)) {
                    return null;
                }
            }
        } finally {
            spare.set(out);
            readiness.leave();
        }
    }

    @Override
    public boolean onEvent(final @Nullable Runnable listener) {
        teller.onReadable(listener);
        return true;
    }

    @Override
    public void wakeUp() {
        readiness.wakeUp();
    }

    void onDeviceDeath() {
        readiness.over();
    }

    @Override
    public void close() {
        users.requireNone("destroyCompChannel", this);
        if (readiness.close()) {
            teller.close();
            context.requireDestroyed(
                    "destroyCompChannel",
                    context.destroying().behindQueuePairs(() -> Ibv.DESTROY_COMP_CHANNEL.status(address)),
                    this);
            context.channels().remove(this);
        }
    }

    @Override
    public String toString() {
        return context + " completion channel 0x" + Long.toHexString(address);
    }
}
