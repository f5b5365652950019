package io.vhca.physical.soft.cm;

import io.vhca.api.Gid;
import io.vhca.api.Mtu;

/** What a {@link CommunicationManager} needs of its device. Any thread. */
public interface CmHost {
    /** The device's name, for messages. */
    String name();

    long nodeGuid();

    /** The port's address. */
    Gid address();

    /** Where in its table that address is. */
    int gidIndex();

    /** The path MTU that connections get. */
    Mtu pathMtu();

    boolean isPortUp();

    /** True once the device is dead: calls answer EIO. */
    boolean isDead();

    /** Most READs and atomics outstanding at a QP. */
    int maxRdAtomic();

    /** The time now, of the same origin as {@link CommunicationManager#doWork}'s. */
    long nowNs();

    /**
     * Sends a management datagram from QP1 to QP1; it may be lost.
     *
     * @param mad 256 bytes, copied
     */
    void sendMad(Gid destination, byte[] mad);

    /** True when that destination can be sent to at all. */
    boolean isReachable(Gid destination);

    /** A message waits, or a deadline came nearer: {@link CommunicationManager#doWork} should run soon. */
    void wake();

    /** Runs the device in the caller's thread where that is how it is run; else does nothing. */
    void drive();

    /** A thread is about to block until an event comes (true), or is done with it (false). */
    void waiting(boolean starts);
}
