package io.vhca.harness.sim;

import io.vhca.api.Context;
import io.vhca.api.QueuePair;
import java.net.InetSocketAddress;

/**
 * One machine of a scenario: a device that the application opens, with all that is below it, driven by hand.
 *
 * <p>The simulator's thread. After {@link #killProcess} nothing but {@link #close} is called.
 */
interface SimHost extends AutoCloseable {
    /** The device as the application sees it. */
    Context context();

    /** Where this host is reached by connections. */
    InetSocketAddress address(int port);

    /** Does what is due: packets, timers, recovery. Returns how much that was. */
    int doWork(long nowNs);

    /** When {@link #doWork} must be called at the latest, packets aside; {@link Long#MAX_VALUE} for no deadline. */
    long nextDeadlineNs();

    /** How many physical devices there are. */
    int members();

    /** The member that a UD queue pair lives on, or whatever else tells one place from another. */
    String placeOf(QueuePair qp);

    /** Plugs or unplugs a member's cable. */
    void portUp(int member, boolean isUp);

    /** Index of a member's port in the fabric. */
    int portIndex(int member);

    /** Takes a member out of use, where another one is left, or back into it. */
    void drain(int member, boolean isDrained);

    /** Removes a member from the bond, where another one is left, or adds it again, where its device is there. */
    void remove(int member, boolean isRemoved);

    /** Makes a member the active one, where the mode has one and the member is up. */
    void activate(int member);

    /** What a member's queue pairs have to send hangs for good; those made later work. */
    void hangSenders(int member);

    /** What a member's queue pairs are sending fails with a local error. */
    void failSenders(int member);

    /** A member's GID moves to the next place in its table. */
    void moveGid(int member);

    /** The MTU of a member's port is the smallest, or again what it was. */
    void shrinkMtu(int member, boolean isSmall);

    /** A member dies, as if pulled out. */
    void killDevice(int member);

    /** A member that died is plugged in again. */
    void reviveDevice(int member);

    /** A member whose device is there and that carries nothing yet; empty for none. */
    String missing();

    /** All of it ends at once, as by kill -9. */
    void killProcess();

    /** What the bond did; all zero without a bond. */
    HostCounts counts();

    /** Lines of the bond's journal that were written since the last call; empty without a bond. */
    String drainJournal();

    /** The application is about to close its objects: whatever a broken bond kept below must be gone now. */
    void beforeClose();

    @Override
    void close();
}
