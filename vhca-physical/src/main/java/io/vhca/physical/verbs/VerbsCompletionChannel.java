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
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A completion channel of libibverbs; its descriptor is non-blocking, waiting is done in poll(2), and who has which
 * event is in {@link EventTurns}. Any thread.
 */
final class VerbsCompletionChannel implements CompletionChannel, EventTurns.Events<VerbsCq> {
    private final VerbsContext context;
    private final long address;
    private final Readiness readiness;
    private final Teller teller;
    private final Children users = new Children();
    private final EventTurns<VerbsCq> turns;
    /** Where the library writes what it read. */
    private final MemorySegment out = Arena.ofAuto().allocate(ValueLayout.JAVA_LONG, 2);
    /** Whose event was taken last; guarded by {@link #turns}. */
    private @Nullable VerbsCq taken;

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
        turns = new EventTurns<>(this, readiness.visitors());
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

    /** Makes a completion queue on it, which is not closed meanwhile; EINVAL where it is closed. */
    synchronized CompletionQueue create(final Supplier<CompletionQueue> creator) {
        if (!readiness.enter()) {
            throw VerbFailure.closed("createCq", toString());
        }
        try {
            return creator.get();
        } finally {
            readiness.leave();
        }
    }

    @Override
    public @Nullable CompletionQueue getCqEvent(final long timeoutNs) {
        if (!readiness.enter()) {
            return null;
        }
        try {
            return next(timeoutNs);
        } finally {
            readiness.leave();
        }
    }

    private @Nullable VerbsCq next(final long timeoutNs) {
        final long startNs = System.nanoTime();
        while (true) {
            final VerbsCq read = turns.read(timeoutNs > 0);
            if (read != null || timeoutNs <= 0 || context.isDead()) {
                return read;
            }
            final long visit = readiness.visitors().visit();
            final VerbsCq only = only();
            if (!readiness.await(startNs, timeoutNs)) {
                return null;
            }
            if (only != null && turns.give(only, visit)) {
                return only;
            }
        }
    }

    /** A queue of this channel is about to be asked to tell again. */
    void settle(final VerbsCq queue) {
        turns.settle(queue);
    }

    @Override
    public @Nullable VerbsCq only() {
        return (VerbsCq) users.only();
    }

    /** Takes and acknowledges; false too where the device is dead. */
    @Override
    public boolean take() {
        int failed = -VerbFailure.EINTR;
        while (failed == -VerbFailure.EINTR) {
            failed = Ibv.GET_CQ_EVENT.status(address, out.address(), out.address() + Long.BYTES);
        }
        if (failed == 0) {
            final long cq = out.get(ValueLayout.JAVA_LONG, 0);
            taken = context.cqs().get(cq);
            Ibv.ACK_CQ_EVENTS.value(cq, 1);
            return true;
        }
        if (failed != -Errno.EAGAIN && !context.isDead()) {
            throw VerbFailure.of("getCqEvent", failed, toString());
        }
        return false;
    }

    @Override
    public @Nullable VerbsCq taken() {
        return taken;
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
        if (beginClose()) {
            teller.close();
            context.requireDestroyed(
                    "destroyCompChannel",
                    context.destroying().behindQueuePairs(() -> Ibv.DESTROY_COMP_CHANNEL.status(address)),
                    this);
            context.channels().remove(this);
        }
    }

    /** True for who is to destroy it: it has no users, and nobody makes one any more. */
    private synchronized boolean beginClose() {
        users.requireNone("destroyCompChannel", this);
        return readiness.close();
    }

    @Override
    public String toString() {
        return context + " completion channel 0x" + Long.toHexString(address);
    }
}
