package io.vhca.bond.cm;

import io.vhca.api.Errno;
import io.vhca.api.VerbsException;
import io.vhca.api.cm.CmEvent;
import io.vhca.api.cm.CmEventChannel;
import io.vhca.api.cm.CmId;
import io.vhca.api.cm.CmPortSpace;
import io.vhca.bond.BondContext;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A CM event channel of the bond: a queue that the bond's control thread fills. */
public final class BondEventChannel implements CmEventChannel {
    private static final long SLICE_NS = TimeUnit.MILLISECONDS.toNanos(100);

    private final BondContext context;
    private final LinkedBlockingQueue<CmEvent> events = new LinkedBlockingQueue<>();
    private final Set<CmId> ids = new LinkedHashSet<>();
    private volatile boolean closed;

    public BondEventChannel(final BondContext context) {
        this.context = context;
    }

    BondContext bond() {
        return context;
    }

    void offer(final CmEvent event) {
        events.add(event);
    }

    void add(final CmId id) {
        ids.add(id);
    }

    void remove(final CmId id) {
        ids.remove(id);
        events.removeIf(event -> event.id() == id);
    }

    @Override
    public CmId createId(final CmPortSpace portSpace, final @Nullable Object idContext) {
        context.lock();
        try {
            final CmId id = portSpace == CmPortSpace.TCP
                    ? new BondCmId(this, idContext)
                    : new BondDatagramCmId(this, idContext);
            add(id);
            return id;
        } finally {
            context.unlock();
        }
    }

    @Override
    public @Nullable CmEvent getEvent(final long timeoutNs) {
        final CmEvent ready = events.poll();
        if (ready != null || timeoutNs <= 0) {
            return ready;
        }
        final long start = System.nanoTime();
        try {
            while (!closed) {
                final long left = timeoutNs - (System.nanoTime() - start);
                if (left <= 0) {
                    return null;
                }
                final CmEvent event = events.poll(Math.min(left, SLICE_NS), TimeUnit.NANOSECONDS);
                if (event != null) {
                    return event;
                }
            }
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return null;
    }

    @Override
    public void close() {
        context.lock();
        try {
            if (closed) {
                return;
            }
            if (!ids.isEmpty()) {
                throw new VerbsException(
                        "destroyEventChannel",
                        Errno.EBUSY,
                        context.name() + " event channel",
                        ids.iterator().next() + " is still open; close it first");
            }
            closed = true;
            context.forget(this);
        } finally {
            context.unlock();
        }
    }
}
