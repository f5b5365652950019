package io.vhca.physical.soft.cm;

import io.vhca.api.Gid;
import io.vhca.api.Mtu;
import java.net.InetAddress;

/** A device without hardware under a connection manager that a test drives: time and messages are the test's. */
abstract class HandDrivenHost implements CmHost {
    static final Gid ADDRESS = Gid.of(InetAddress.ofLiteral("10.0.0.1"));

    /** The time now. */
    long nowNs = 1;
    /** How often the device's thread was woken. */
    int wakeUps;

    @Override
    public String name() {
        return "by hand";
    }

    @Override
    public long nodeGuid() {
        return 7;
    }

    @Override
    public Gid address() {
        return ADDRESS;
    }

    @Override
    public int gidIndex() {
        return 0;
    }

    @Override
    public Mtu pathMtu() {
        return Mtu.MTU_1024;
    }

    @Override
    public boolean isPortUp() {
        return true;
    }

    @Override
    public boolean isDead() {
        return false;
    }

    @Override
    public int maxRdAtomic() {
        return 16;
    }

    @Override
    public long nowNs() {
        return nowNs;
    }

    @Override
    public boolean isReachable(final Gid destination) {
        return true;
    }

    @Override
    public void wake() {
        wakeUps++;
    }

    @Override
    public void drive() {
        // It is driven by hand.
    }

    @Override
    public void waiting(final boolean starts) {
        // Nobody waits.
    }
}
