package io.vhca.bond.cm;

import io.vhca.api.Errno;
import io.vhca.api.VerbsException;
import io.vhca.api.cm.CmEvent;
import io.vhca.api.cm.CmEventChannel;
import io.vhca.api.cm.CmEventType;
import io.vhca.api.cm.CmId;
import io.vhca.api.cm.CmPortSpace;
import io.vhca.bond.core.BondCore;
import io.vhca.bond.core.BondCounters.Counter;
import io.vhca.bond.core.EventListener;
import io.vhca.bond.link.PathLink;
import io.vhca.bond.trace.TraceEventDescriptor;
import io.vhca.bond.trace.TraceObject;
import io.vhca.recovery.wire.RejectCode;
import io.vhca.recovery.wire.RejectRecord;
import io.vhca.recovery.wire.SessionId;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A CM event channel of the bond: a queue that the bond's control thread fills. */
public final class BondEventChannel implements CmEventChannel {
    private static final long SLICE_NS = TimeUnit.MILLISECONDS.toNanos(100);

    private final CmScope scope;
    private final BondCore core;
    private final LinkedBlockingQueue<CmEvent> events = new LinkedBlockingQueue<>();
    private final Set<CmId> ids = new LinkedHashSet<>();
    private final EventListener listener = new EventListener();
    private volatile boolean closed;

    public BondEventChannel(final CmScope scope) {
        this.scope = scope;
        core = scope.core();
        core.begins(this, this);
    }

    /** What its ids are made of. */
    public CmScope scope() {
        return scope;
    }

    public void offer(final CmEvent event) {
        assert core.holdsLock();
        core.trace(TraceEventDescriptor.CM_EVENT, TraceObject.NONE, event.type().code(), event.status(), 0, 0);
        events.add(event);
        listener.tell();
    }

    @Override
    public boolean onEvent(final @Nullable Runnable told) {
        listener.replace(told, () -> !events.isEmpty());
        return true;
    }

    /**
     * A request of a stranger or a peer: whether it finds room among those that the application has not decided on.
     * Where it does not, it is refused as one that may come again, and counted.
     */
    public boolean admits(final PathLink link, final long nowNs) {
        assert core.holdsLock();
        final UndecidedRequests<VirtualCmId<?>> undecided = scope.accepts().undecided();
        final boolean isKnown = scope.peers().isMetAt(link.remote());
        if (undecided.hasRoom(link.remote(), isKnown)) {
            return true;
        }
        while (true) {
            final VirtualCmId<?> oldest =
                    isKnown ? null : undecided.victim(link.remote(), this::isUntold, nowNs);
            if (oldest == null) {
                core.counters().add(Counter.REQ_FULL, 1);
                link.reject(new RejectRecord(RejectCode.NO_RESOURCES, SessionId.NONE, 0).encode());
                return false;
            }
            if (takeBack(oldest)) { // the application may take it at this moment: then it is the application's
                core.counters().add(Counter.REQ_DROPPED, 1);
                oldest.giveWay();
                return true;
            }
        }
    }

    /** Takes back the event that tells of a request; false where the application has it. */
    private boolean takeBack(final VirtualCmId<?> child) {
        return events.removeIf(event -> event.id() == child && event.type() == CmEventType.CONNECT_REQUEST);
    }

    /** The application is told of a request that was admitted, by an event of the id that was made for it. */
    public void request(
            final VirtualCmId<?> child, final PathLink link, final CmEvent told, final long nowNs) {
        assert core.holdsLock();
        assert told.type() == CmEventType.CONNECT_REQUEST : "it tells of a request";
        final boolean isKnown = scope.peers().isMetAt(link.remote());
        scope.accepts().undecided().add(child, link.remote(), isKnown, nowNs);
        offer(told);
    }

    /** Whether no id is on it. */
    public boolean isIdle() {
        assert core.holdsLock();
        return ids.isEmpty();
    }

    /** The application has decided on a request, or it is over. */
    void decided(final VirtualCmId<?> child) {
        scope.accepts().undecided().remove(child);
    }

    /** True while the application has not taken the event that tells of a request. Another channel's is not known. */
    private boolean isUntold(final CmId id) {
        return events.stream().anyMatch(event -> event.id() == id && event.type() == CmEventType.CONNECT_REQUEST);
    }

    public void add(final CmId id) {
        assert core.holdsLock();
        ids.add(id);
        core.begins(id, this);
    }

    public void remove(final CmId id) {
        assert core.holdsLock();
        ids.remove(id);
        core.ends(id);
        events.removeIf(event -> event.id() == id);
    }

    /** A listener is closed: with it go the requests for it that the application has not taken. */
    void listenerClosed(final CmId gone) {
        assert core.holdsLock();
        for (final CmEvent event : List.copyOf(events)) {
            // The application may take it at this moment: then it is the application's.
            if (event.type() == CmEventType.CONNECT_REQUEST && event.listenId() == gone && events.remove(event)) {
                ((VirtualCmId<?>) event.id()).untaken();
            }
        }
    }

    @Override
    public CmId createId(final CmPortSpace portSpace, final @Nullable Object idContext) {
        core.lock();
        try {
            if (closed) {
                throw new VerbsException("createId", Errno.EINVAL, toString(), "it is closed");
            }
            final CmId id = portSpace == CmPortSpace.TCP
                    ? new BondCmId(this, idContext)
                    : scope.datagramIds().create(this, idContext);
            add(id);
            return id;
        } finally {
            core.unlock();
        }
    }

    @Override
    public @Nullable CmEvent getEvent(final long timeoutNs) {
        final CmEvent ready = events.poll();
        if (ready != null || timeoutNs <= 0) {
            return ready;
        }
        core.requireMayWait("getCmEvent");
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
        core.lock();
        try {
            if (closed) {
                return;
            }
            if (!ids.isEmpty()) {
                throw new VerbsException(
                        "destroyEventChannel",
                        Errno.EBUSY,
                        core.name() + " event channel",
                        ids.iterator().next() + " is still open; close it first");
            }
            closed = true;
            core.ends(this);
            scope.children().remove(this);
        } finally {
            core.unlock();
        }
    }

    @Override
    public String toString() {
        return core.name() + " event channel";
    }
}
