package io.vhca.rdp;

import io.vhca.rdp.common.Spinning;
import io.vhca.rdp.engine.Port;
import io.vhca.rdp.lane.PortListener;
import org.jspecify.annotations.Nullable;

/**
 * What one socket is ready for, and who is told: a poller, a listener, a thread that waits in a call. Inside the
 * driver, but for what a thread says of itself.
 */
final class Readiness implements PortListener {
    private static final int PAUSES = Spinning.turns(200);

    private final EngineSocket socket;
    private @Nullable EnginePoller poller;
    private volatile @Nullable ReadyListener watcher;
    private volatile @Nullable Thread waiter;
    private boolean isQueued;
    private boolean isWritable = true;

    Readiness(final EngineSocket socket) {
        this.socket = socket;
    }

    /** A thread pauses before it looks once more; false where it has done so often enough, and is to sleep. */
    static boolean pause(final int pauses) {
        if (pauses >= PAUSES) {
            return false;
        }
        Thread.onSpinWait();
        return true;
    }

    /** How often it has paused after one time more: a count that never ends in a thread that waits for days. */
    static int next(final int pauses) {
        return Math.min(pauses + 1, PAUSES);
    }

    /** @param port null where the socket is closed */
    int now(final @Nullable Port port) {
        return (port != null && port.pending() > 0 ? RdpPoller.READABLE : 0)
                | (isWritable ? RdpPoller.WRITABLE : 0)
                | (port != null && port.hasCompletion() ? RdpPoller.COMPLETED : 0);
    }

    void isWritable(final boolean now) {
        isWritable = now;
    }

    void poller(final @Nullable EnginePoller by) {
        poller = by;
        isQueued = false;
    }

    @Nullable EnginePoller poller() {
        return poller;
    }

    /** It waits to be looked at by its poller; whether it did before. */
    boolean queued(final boolean now) {
        final boolean was = isQueued;
        isQueued = now;
        return was;
    }

    void watch(final @Nullable ReadyListener listener) {
        watcher = listener;
    }

    /**
     * This thread says that it waits, and where. It looks once more when it has said so, for what comes from then on
     * wakes it; the next time it sleeps.
     */
    void sleep(final long mostNs) {
        final DriverTurns turns = socket.driver().turns();
        final boolean isNew = waiter != Thread.currentThread();
        waiter = Thread.currentThread();
        if (!turns.takeSeat() && !isNew) {
            turns.sleep(mostNs);
        }
    }

    /** A call that may have waited is over. */
    void awake() {
        if (waiter == Thread.currentThread()) {
            waiter = null;
        }
        // Another thread that waits for this socket too may be the one that is known here.
        socket.driver().turns().awake();
    }

    @Override
    public void onReadable() {
        wake();
    }

    @Override
    public void onWritable() {
        isWritable = true;
        wake();
    }

    @Override
    public void onCompleted() {
        wake();
    }

    private void wake() {
        if (poller != null) {
            poller.onReady(socket);
        }
        final ReadyListener listener = watcher;
        if (listener != null) {
            listener.onReady();
        }
        final Thread sleeper = waiter;
        if (sleeper != null) {
            socket.driver().turns().wake(sleeper);
        }
    }

    void close() {
        if (poller != null) {
            poller.forget(socket);
        }
    }
}
