package io.vhca.physical.soft.engine;

import io.vhca.api.AsyncEvent;
import io.vhca.api.AsyncEventType;
import io.vhca.physical.soft.Carrier;

/** The state of the one port: up while nobody has set it down and the carrier's link is up. The engine's owner. */
final class PortMonitor {
    private final SoftNic nic;
    private final Carrier carrier;
    private final long intervalNs;
    private boolean isSetUp = true;
    private volatile boolean isUp;
    private boolean wasChecked;
    private long checkedNs;

    PortMonitor(final SoftNic nic, final Carrier carrier, final long intervalNs) {
        this.nic = nic;
        this.carrier = carrier;
        this.intervalNs = intervalNs;
        isUp = carrier.isUp();
    }

    /** Any thread. */
    boolean isUp() {
        return isUp;
    }

    void set(final boolean up) {
        isSetUp = up;
        update();
    }

    void check(final long nowNs) {
        if (!wasChecked || nowNs - checkedNs >= intervalNs) {
            wasChecked = true;
            checkedNs = nowNs;
            update();
        }
    }

    /** The device died: down, without an event of its own. */
    void kill() {
        isSetUp = false;
        isUp = false;
    }

    private void update() {
        final boolean up = isSetUp && carrier.isUp();
        if (up != isUp) {
            isUp = up;
            if (!up) {
                nic.portWentDown();
            }
            nic.raise(AsyncEvent.ofPort(up ? AsyncEventType.PORT_ACTIVE : AsyncEventType.PORT_ERR, 1));
        }
    }
}
