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
import org.jspecify.annotations.Nullable;

/**
 * A completion channel of libibverbs; its descriptor is non-blocking, waiting is done in poll(2). Any thread.
 *
 * <p>A thread that waits alone for a channel's only queue has its event as soon as there is one, and it is read by
 * whoever comes next, before anything else: who was woken answers first, a system call earlier.
 */
final class VerbsCompletionChannel implements CompletionChannel {
    private final VerbsContext context;
    private final long address;
    private final Readiness readiness;
    private final Teller teller;
    private final Children users = new Children();
    /** Held while an event is read or given. */
    private final Object reading = new Object();
    /** Where the library writes what it read. */
    private final MemorySegment out = Arena.ofAuto().allocate(ValueLayout.JAVA_LONG, 2);
    /** Whose event was given and is still to be read; guarded by {@link #reading}. */
    private @Nullable VerbsCq unread;

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
        try {
            return next(timeoutNs);
        } finally {
            readiness.leave();
        }
    }

    private @Nullable VerbsCq next(final long timeoutNs) {
        final long startNs = System.nanoTime();
        while (true) {
            final VerbsCq read = read(timeoutNs > 0);
            if (read != null || timeoutNs <= 0 || context.isDead()) {
                return read;
            }
            final long visit = readiness.visit();
            final VerbsCq only = only();
            if (!readiness.await(startNs, timeoutNs)) {
                return null;
            }
            if (only != null && give(only, visit)) {
                return only;
            }
        }
    }

    /** Gives the event that is there, unless another thread may have read it, or it may be of another queue. */
    private boolean give(final VerbsCq only, final long visit) {
        synchronized (reading) { // who comes from here on reads behind this
            if (only != only() || !readiness.isAloneSince(visit)) {
                return false;
            }
            assert unread == null : this + ": nobody else was here, and all was read";
            unread = only;
            return true;
        }
    }

    private @Nullable VerbsCq only() {
        return (VerbsCq) users.only();
    }

    /**
     * The queue of the next event; null where there is none, or the device is dead.
     *
     * @param isWaiting the caller waits then, which returns at once where there is another event behind the unread one
     */
    private @Nullable VerbsCq read(final boolean isWaiting) {
        synchronized (reading) {
            while (true) {
                final int failed = Ibv.GET_CQ_EVENT.status(address, out.address(), out.address() + Long.BYTES);
                if (failed == -VerbFailure.EINTR) {
                    continue;
                }
                final VerbsCq given = unread;
                unread = null;
                if (failed != 0) {
                    if (failed != -Errno.EAGAIN && !context.isDead()) {
                        throw VerbFailure.of("getCqEvent", failed, toString());
                    }
                    return null;
                }
                final long cq = out.get(ValueLayout.JAVA_LONG, 0);
                final VerbsCq known = context.cqs().get(cq);
                Ibv.ACK_CQ_EVENTS.value(cq, 1);
                if (known != null && known != given) {
                    return known;
                }
                if (known != null && isWaiting) {
                    return null;
                }
            }
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
