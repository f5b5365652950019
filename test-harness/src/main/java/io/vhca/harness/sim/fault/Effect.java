package io.vhca.harness.sim.fault;

/** What else the checkers and the applications of a scenario have to know of a fault. */
public enum Effect {
    /** A datagram may arrive twice: its receiver has nothing to tell the copies by. */
    DATAGRAMS_MAY_DOUBLE,
    /** Datagrams may never arrive: they are not acknowledged, so nobody finds out that their path is dead. */
    DATAGRAMS_MAY_NEVER_ARRIVE,
    /** A port has the smallest MTU for a while: longer datagrams would end in an error. */
    SMALLEST_MTU,
    /** A device comes back, and must be a member again before the run is over. */
    MEMBER_RETURNS,
    /** Somebody on the path keeps what passes. */
    PACKETS_ARE_SEEN,
    /** It must not make a queue pair move: a scenario of nothing else has no failover. */
    NOTHING_MAY_MOVE
}
