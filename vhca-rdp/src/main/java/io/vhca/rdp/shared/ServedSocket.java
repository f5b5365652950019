package io.vhca.rdp.shared;

import io.vhca.rdp.RdpSocket;
import io.vhca.rdp.ReadyListener;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * A socket that the driver has for a client. It hears of its readiness by any thread, in the driver; the server's
 * thread tells the client.
 */
final class ServedSocket implements ReadyListener {
    private final ServedSockets owner;
    private final RdpSocket socket;
    private final int number;
    private final ServerWork work;
    private final AtomicBoolean isQueued = new AtomicBoolean();

    /** @param number by which the client knows it */
    ServedSocket(final ServedSockets owner, final RdpSocket socket, final int number, final ServerWork work) {
        this.owner = owner;
        this.socket = socket;
        this.number = number;
        this.work = work;
    }

    RdpSocket socket() {
        return socket;
    }

    @Override
    public void onReady() {
        if (isQueued.compareAndSet(false, true)) {
            work.add(this);
        }
    }

    /** Tells the client what it is ready for. The server's thread. */
    void tell() {
        // Before it is looked at: what becomes ready after that queues it again.
        isQueued.set(false);
        owner.tell(this, number);
    }
}
