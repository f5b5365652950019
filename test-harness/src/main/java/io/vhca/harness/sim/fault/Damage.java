package io.vhca.harness.sim.fault;

import java.util.Set;

/** What a fault costs at most: it decides whether queue pairs may fail under it. */
public enum Damage {
    /** Packets are late or come twice, or an operator moves queue pairs: nothing is lost. */
    NONE,
    /** The packets that {@link Timing.Packets} counts: the transport's retries make up for a few. */
    PACKETS,
    /** A path or a device: a bond gets over it, a device alone does not. */
    PATH,
    /** Data that was acknowledged: a bond with {@code confirm = peer} gets over it. */
    ACKNOWLEDGED_DATA,
    /** A process with all its connections: nobody gets over it. */
    PROCESS;

    /**
     * What it costs that threads get their turns late: whom a device does not answer in time, that one counts the
     * path as dead.
     */
    public static Damage ofStarving(final Set<HostThread> threads) {
        return threads.contains(HostThread.DEVICES) ? PATH : NONE;
    }
}
