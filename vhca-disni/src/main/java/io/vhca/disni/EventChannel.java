package io.vhca.disni;

import io.vhca.api.Errno;
import io.vhca.api.VerbsException;
import io.vhca.api.cm.CmEvent;
import io.vhca.api.cm.CmEventChannel;
import io.vhca.api.cm.CmEventType;
import io.vhca.api.cm.CmId;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * An event channel of DiSNI's: the device's channel, and the ids on it with their numbers. It owns the device's
 * channel, and closes it after the last id. Any thread.
 */
final class EventChannel {
    private final HandleTable handles;
    private final CmEventChannel channel;
    private final LastUser use;
    private final Map<CmId, Id> ids = new IdentityHashMap<>();

    /** An id on a channel. {@code qp} is the number of its queue pair, {@link HandleTable#NONE} without one. */
    static final class Id {
        final EventChannel channel;
        final CmId cm;
        private long handle = HandleTable.NONE;
        private long qp = HandleTable.NONE;

        private Id(final EventChannel channel, final CmId cm) {
            this.channel = channel;
            this.cm = cm;
        }

        long handle() {
            return handle;
        }

        /** The number of its queue pair, which this id forgets. */
        synchronized long takeQp() {
            final long taken = qp;
            qp = HandleTable.NONE;
            return taken;
        }

        synchronized void qp(final long number) {
            qp = number;
        }

        /** Destroys the id and its queue pair ({@code rdma_destroy_ep}). */
        void destroy() {
            channel.handles.remove(takeQp());
            cm.close();
            channel.forget(this);
        }
    }

    EventChannel(final HandleTable handles, final CmEventChannel channel) {
        this.handles = handles;
        this.channel = channel;
        use = new LastUser("DiSNI event channel", this::closeChannel);
    }

    /** A new id takes its number; it is made by a call that holds the channel open meanwhile. */
    Id create(final String verb, final Supplier<CmId> made) {
        use.enter(verb);
        CmId cm = null;
        try {
            cm = made.get();
            return enter(cm);
        } catch (final VerbsException e) {
            if (cm != null) {
                cm.close();
            }
            use.leave();
            throw e;
        }
    }

    /** An id that an event brought takes its number. */
    Id add(final String verb, final CmId cm) {
        use.enter(verb);
        try {
            return enter(cm);
        } catch (final VerbsException e) {
            use.leave();
            throw e;
        }
    }

    private Id enter(final CmId cm) {
        final Id id = new Id(this, cm);
        id.handle = handles.put(id);
        synchronized (ids) {
            ids.put(cm, id);
        }
        return id;
    }

    private void forget(final Id id) {
        final Id known;
        synchronized (ids) {
            known = ids.remove(id.cm);
        }
        if (known != null) {
            handles.remove(id.handle);
            use.leave();
        }
    }

    /** The number of an id, {@link HandleTable#NONE} for none and for one that is destroyed. */
    long handle(final @Nullable CmId cm) {
        synchronized (ids) {
            final Id id = cm == null ? null : ids.get(cm);
            return id == null ? HandleTable.NONE : id.handle;
        }
    }

    CmEventChannel cm() {
        return channel;
    }

    /** Closes an id that an event brought and that has no number; a channel that is being destroyed waits for that. */
    void turnAway(final CmId id) {
        id.close();
        closed(use::closeIfUnused);
    }

    /**
     * Closes the channel now, or after its last id.
     *
     * @return false when it waits for an id; also for one that an event brought, whose taker turns it away
     */
    boolean close() {
        return closed(use::close);
    }

    private static boolean closed(final BooleanSupplier attempt) {
        try {
            return attempt.getAsBoolean();
        } catch (final VerbsException e) {
            if (e.errno() != Errno.EBUSY) {
                throw e;
            }
            return false;
        }
    }

    private void closeChannel() {
        // Who asked meanwhile is turned away: nobody will answer.
        for (CmEvent event = channel.getEvent(0); event != null; event = channel.getEvent(0)) {
            event.ack();
            if (event.type() == CmEventType.CONNECT_REQUEST) {
                event.id().close();
            }
        }
        channel.close();
    }
}
