package io.vhca.physical.soft;

import io.vhca.api.CompletionChannel;
import io.vhca.api.CompletionQueue;
import io.vhca.api.Context;
import io.vhca.api.Errno;
import io.vhca.api.VerbsException;
import io.vhca.physical.soft.cm.DeviceEvents;
import io.vhca.physical.soft.engine.queue.SoftCq;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A completion channel of a soft device. Any thread. */
final class SoftCompletionChannel implements CompletionChannel {
    private final SoftContext context;
    private final DeviceEvents<CompletionQueue> events;
    private final List<SoftCq> users = new ArrayList<>();
    /** Guarded by {@link #users}. */
    private boolean isClosed;

    SoftCompletionChannel(final SoftContext context, final SoftAdapter adapter) {
        this.context = context;
        events = new DeviceEvents<>(adapter, adapter.pollNs());
    }

    @Override
    public Context context() {
        return context;
    }

    /** False where it is closed. */
    boolean addUser(final SoftCq cq) {
        synchronized (users) {
            users.removeIf(user -> !user.isOpen());
            return !isClosed && users.add(cq);
        }
    }

    boolean isOpen() {
        synchronized (users) {
            return !isClosed;
        }
    }

    void put(final CompletionQueue cq) {
        events.put(cq);
    }

    @Override
    public @Nullable CompletionQueue getCqEvent(final long timeoutNs) {
        final long startNs = System.nanoTime();
        CompletionQueue cq = events.take(timeoutNs);
        while (cq instanceof final SoftCq own && !own.isOpen()) {
            // The event of a CQ that was destroyed since is nobody's.
            cq = events.take(Math.max(0, timeoutNs - (System.nanoTime() - startNs)));
        }
        return cq;
    }

    @Override
    public boolean onEvent(final @Nullable Runnable listener) {
        events.onPut(listener);
        return true;
    }

    @Override
    public void wakeUp() {
        events.wakeUp();
    }

    @Override
    public void close() {
        synchronized (users) {
            users.removeIf(user -> !user.isOpen());
            if (!users.isEmpty()) {
                throw new VerbsException(
                        "destroyCompChannel",
                        Errno.EBUSY,
                        context.device().name() + " completion channel",
                        users.getFirst() + " still uses it: destroy it first");
            }
            isClosed = true;
        }
        events.close();
    }
}
