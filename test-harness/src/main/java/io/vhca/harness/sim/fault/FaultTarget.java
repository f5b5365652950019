package io.vhca.harness.sim.fault;

import io.vhca.harness.sim.core.Side;
import java.util.function.Consumer;

/** What faults act upon besides packets. */
public interface FaultTarget {
    /** Plugs or unplugs a member's cable. */
    void portUp(Side side, int member, boolean isUp);

    /** Loses a member's routes, or has them again: meanwhile no address is resolved over it, though its port is up. */
    void routes(Side side, int member, boolean areThere);

    /** Loses or passes all that a member sends. */
    void blockTransmit(Side side, int member, boolean isBlocked);

    /**
     * Pauses, or resumes, what a member sends of these priorities, a bit each: it waits, and nothing of it is lost.
     */
    void pauseTransmit(Side side, int member, int priorities, boolean isPaused);

    /** Does something to a host, unless its process is dead. */
    void onHost(Side side, Consumer<FaultyHost> action);

    /** A host of nobody's attacks that side's bond. */
    void attack(Side asked, Attack attack);

    /** A process ends at once, as by kill -9, and its devices with it. */
    void killProcess(Side side);

    /** A process that was killed is started again, without its application. */
    void restartProcess(Side side);
}
