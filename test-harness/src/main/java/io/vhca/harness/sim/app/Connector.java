package io.vhca.harness.sim.app;

import io.vhca.harness.sim.host.SimHost;
import io.vhca.harness.sim.scenario.EarlyEnd;
import io.vhca.harness.sim.scenario.Ending;

/** How one side's application makes its connections, makes them once more, and ends them. The simulator's thread. */
public interface Connector {
    /** Gets ready to be asked; the right side only. */
    void listen();

    /** True when this side will not try again. */
    boolean hasGivenUp(int index);

    /** Goes on with what is under way. Returns how much it did. */
    int doWork(long nowNs, SimHost peer);

    /** A connection has done its work and lives again: it is made once more. Called for each end that has to know. */
    void liveAgain(long nowNs, int index);

    /** Whatever made this side give a connection up was of the life before. */
    void forgive(int index);

    /** The device is dead: what is posted is flushed, and nothing can be connected any more. */
    void deviceDied();

    /** Ends every connection; one that is on its way ends when it stands. */
    void disconnect(long nowNs);

    /** Ends one connection, in the middle of whatever goes on with it. */
    void end(long nowNs, int index, Ending how);

    /** Ends one connection under traffic. */
    void end(long nowNs, int index, EarlyEnd.Kind how);

    /** True when this end knows that the connection is over. */
    boolean isOver(int index);

    /** For how long no connection was ended; its close has its bound from then on. At most {@code mostNs}. */
    long sinceLastEndNs(long nowNs, long mostNs);

    /** Closes what it opened; the channel is the application's to close. */
    void close();
}
