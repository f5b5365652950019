package io.vhca.physical.soft.cm;

import io.vhca.api.Context;
import io.vhca.api.Errno;
import io.vhca.api.VerbsException;
import io.vhca.api.cm.CmEvent;
import io.vhca.api.cm.CmEventChannel;
import io.vhca.api.cm.CmEventType;
import io.vhca.api.cm.CmId;
import io.vhca.api.cm.CmPortSpace;
import org.jspecify.annotations.Nullable;

/** An event channel of the soft connection manager. Any thread. */
final class SoftEventChannel implements CmEventChannel {
    private final CommunicationManager manager;
    private final Context context;
    private final DeviceEvents<CmEvent> events;
    /** Ids open on it; guarded by the manager's lock. */
    int ids;

    /** Guarded by the manager's lock. */
    private boolean isClosed;

    SoftEventChannel(final CommunicationManager manager, final Context context) {
        this.manager = manager;
        this.context = context;
        events = new DeviceEvents<>(manager.host());
    }

    Context context() {
        return context;
    }

    @Override
    public CmId createId(final CmPortSpace portSpace, final @Nullable Object idContext) {
        return manager.createId(this, portSpace, idContext);
    }

    void put(final CmEvent event) {
        events.put(event);
    }

    /** Drops the events of an id that is closed; false when there were none. */
    boolean forget(final CmId id) {
        return events.forget(event -> event.id() == id);
    }

    /** Drops the request that made that id; false when it was taken. */
    boolean forgetRequest(final CmId id) {
        return events.forget(event -> event.id() == id && event.type() == CmEventType.CONNECT_REQUEST);
    }

    @Override
    public @Nullable CmEvent getEvent(final long timeoutNs) {
        final CmEvent event = events.take(timeoutNs);
        if (event instanceof SoftCmEvent told && told.type() == CmEventType.CONNECT_RESPONSE) {
            return manager.take(told);
        }
        if (event instanceof SoftCmEvent told && told.type() == CmEventType.CONNECT_REQUEST) {
            manager.requestTaken((SoftCmId) told.id());
        }
        return event;
    }

    @Override
    public boolean onEvent(final @Nullable Runnable listener) {
        events.onPut(listener);
        return true;
    }

    @Override
    public void close() {
        manager.closeChannel(this);
    }

    /** EINVAL once it is closed. With the manager's lock held. */
    void requireOpen(final String verb) {
        assert manager.holdsLock() : "channels close under the manager's lock";
        if (isClosed) {
            throw new VerbsException(verb, Errno.EINVAL, manager.name() + " event channel", "it is closed");
        }
    }

    /** With the manager's lock held. */
    void closeLocked() {
        assert manager.holdsLock() : "channels close under the manager's lock";
        if (isClosed) {
            return;
        }
        if (ids > 0) {
            throw new VerbsException(
                    "destroyEventChannel",
                    Errno.EBUSY,
                    manager.name() + " event channel",
                    ids + " ids still use it: close them first");
        }
        isClosed = true;
        events.close();
    }
}
