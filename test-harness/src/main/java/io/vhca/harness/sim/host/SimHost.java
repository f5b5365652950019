package io.vhca.harness.sim.host;

import io.vhca.api.Context;
import io.vhca.api.QueuePair;
import io.vhca.harness.sim.core.Deadlines;
import io.vhca.harness.sim.fault.FaultyHost;
import io.vhca.harness.sim.fault.HostThread;
import io.vhca.harness.sim.fault.TurnRule;
import java.net.InetSocketAddress;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * One machine of a scenario: a device that the application opens, with all that is below it, driven by hand.
 *
 * <p>The simulator's thread. After {@link #killProcess} nothing but {@link #close} is called.
 */
public interface SimHost extends FaultyHost, AutoCloseable {
    /** The device as the application sees it. */
    Context context();

    /** Where this host is reached by connections. */
    InetSocketAddress address(int port);

    /** Does what is due: packets, timers, recovery. Returns how much that was. */
    int doWork(long nowNs);

    /** When {@link #doWork} must be called at the latest, packets aside; {@link Deadlines#NONE} for no deadline. */
    long nextDeadlineNs();

    /** When the threads of this host, the application's among them, get their turns. */
    HostTurns turns();

    @Override
    default void starve(final Set<HostThread> threads, final TurnRule rule) {
        turns().starve(threads, rule);
    }

    @Override
    default void feed(final TurnRule rule) {
        turns().feed(rule);
    }

    @Override
    default void jumpClock(final long byNs) {
        turns().jumpClock(byNs);
    }

    /** A queue pair is in RESET: what is remembered of its life before is forgotten. */
    void forget(QueuePair qp);

    /** How many physical devices there are. */
    int members();

    /** The member that a UD queue pair lives on, or whatever else tells one place from another. */
    String placeOf(QueuePair qp);

    /** The physical queue pair in use under a vQP; null while it is recovered, and where there is no bond. */
    default @Nullable QueuePair carrierOf(final QueuePair qp) {
        return null;
    }

    /** True while a connection's queue pair has no path, or is not yet where it was when it lost one. */
    boolean isRecovering(QueuePair qp);

    /** Plugs or unplugs a member's cable. */
    void portUp(int member, boolean isUp);

    /** Index of a member's port in the fabric. */
    int portIndex(int member);

    /** A member whose device is there and that is not up; empty for none. */
    String missing();

    /** All of it ends at once, as by kill -9. */
    void killProcess();

    /** What the bond did; all zero without a bond. */
    HostCounts counts();

    /** Lines of the bond's journal that were written since the last call; empty without a bond. */
    String drainJournal();

    /** The application is about to close its objects: a defect that was planted must not keep any. */
    void beforeClose();

    @Override
    void close();
}
